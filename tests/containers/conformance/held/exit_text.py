import atexit
import sys

atexit.register(print, "registered first")
atexit.register(print, "registered last")
atexit.register(lambda: 1 / 0)
sys.exit(f"a message, {sys.stdin.readline()!r}")
