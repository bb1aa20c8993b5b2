import atexit
import sys

atexit.register(print, "registered")
print("written", end="")
sys.stderr.write("told\n")
sys.exit(7)
