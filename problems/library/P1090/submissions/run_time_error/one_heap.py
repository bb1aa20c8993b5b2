# Pops two heaps before it looks whether there are two.
import heapq

n = int(input())
heaps = list(map(int, input().split()))
heapq.heapify(heaps)
cost = 0
while True:
    merged = heapq.heappop(heaps) + heapq.heappop(heaps)
    cost += merged
    if not heaps:
        break
    heapq.heappush(heaps, merged)
print(cost)
