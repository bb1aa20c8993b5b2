import sys

flush = sys.stdout.flush
sys.stdout.flush = lambda: (sys.__stderr__.write("flushed\n"), flush())
print("printed")
