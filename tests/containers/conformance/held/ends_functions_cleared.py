import atexit

atexit.register(print, "never called")
atexit._clear()
print("printed")
