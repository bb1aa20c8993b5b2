try:
    bytearray(1 << 50)
except MemoryError as error:
    print(repr(error))
x = bytearray(1 << 50)
