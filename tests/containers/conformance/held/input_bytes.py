import sys

for line in sys.stdin.buffer:
    print(line)
for line in sys.stdin:
    print("BROKEN")
