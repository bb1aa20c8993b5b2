# Leaves out the first number of each range.
import sys
from itertools import accumulate

n, q, *rest = map(int, sys.stdin.buffer.read().split())
before = [0, *accumulate(rest[:n])]
print("\n".join(str(before[rest[i + 1]] - before[rest[i]]) for i in range(n, n + 2 * q, 2)))
