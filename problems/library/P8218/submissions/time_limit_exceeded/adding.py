# Adds each range up anew.
import sys

n, *rest = map(int, sys.stdin.buffer.read().split())
ranges = rest[n + 1 :]
for l, r in zip(ranges[::2], ranges[1::2]):
    print(sum(rest[l - 1 : r]))
