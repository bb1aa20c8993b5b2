import sys
from itertools import accumulate

n, *rest = map(int, sys.stdin.buffer.read().split())
sums = [0, *accumulate(rest[:n])]
ranges = rest[n + 1 :]
print("\n".join(str(sums[r] - sums[l - 1]) for l, r in zip(ranges[::2], ranges[1::2])))
