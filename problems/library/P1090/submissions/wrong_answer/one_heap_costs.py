# A single heap needs no merge, but here it costs its own size.
import heapq

input()
heaps = list(map(int, input().split()))
heapq.heapify(heaps)
cost = heaps[0] if len(heaps) == 1 else 0
while len(heaps) > 1:
    merged = heapq.heappop(heaps) + heaps[0]
    heapq.heapreplace(heaps, merged)
    cost += merged
print(cost)
