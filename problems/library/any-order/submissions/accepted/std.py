import sys
from graphlib import CycleError, TopologicalSorter

n, m, *rest = map(int, sys.stdin.buffer.read().split())
before = {i: [] for i in range(1, n + 1)}
for i in range(0, 2 * m, 2):
    before[rest[i + 1]].append(rest[i])
try:
    print(*TopologicalSorter(before).static_order())
except CycleError:
    print("IMPOSSIBLE")
