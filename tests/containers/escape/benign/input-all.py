# Shows: 50 MB of input by sys.stdin.buffer.read().split()
# Problem: column
import sys

total = 0
while block := sys.stdin.buffer.readlines(1 << 20):
    total += sum(map(int, block))
print(total)
