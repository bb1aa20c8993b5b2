import sys

from solution import inversions

words = iter(sys.stdin.buffer.read().split())
for _ in range(int(next(words))):
    print(inversions([int(next(words)) for _ in range(int(next(words)))]))
