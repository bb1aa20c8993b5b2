import sys


class Stream:
    def write(self, text):
        old.write(text.upper())

    def flush(self):
        old.write("flushed\n")


old = sys.stdout
sys.stdout = Stream()
print("printed")
