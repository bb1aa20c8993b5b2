"""What is suspended is closed when the program ends."""


def counting():
    try:
        yield 1
    finally:
        print("closed")


counted = counting()
print(next(counted))
