import atexit
import sys


@atexit.register
def last():
    print("last")


@atexit.register
def failing():
    atexit.register(print, "registered late")
    raise ValueError("told")


atexit.register(sys.stdout.write, "first\n")
sys.exit(5)
