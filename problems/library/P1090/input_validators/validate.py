"""Exit 42 if standard input is a valid test, 43 if not."""

import heapq
import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+\n(\d+ )*\d+\n", text):
    sys.exit(43)
count, *heaps = map(int, text.split())
if not (1 <= count <= 10**4 and len(heaps) == count and all(1 <= heap <= 20000 for heap in heaps)):
    sys.exit(43)
heapq.heapify(heaps)
cost = 0
while len(heaps) > 1:
    merged = heapq.heappop(heaps) + heaps[0]
    heapq.heapreplace(heaps, merged)
    cost += merged
sys.exit(42 if cost < 2**31 else 43)
