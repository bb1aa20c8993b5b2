import sys

n, *numbers = map(int, sys.stdin.buffer.read().split())
numbers.sort()
print(*numbers)
