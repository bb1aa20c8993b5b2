import heapq

input()
heaps = list(map(int, input().split()))
heapq.heapify(heaps)
cost = 0
while len(heaps) > 1:
    merged = heapq.heappop(heaps) + heaps[0]
    heapq.heapreplace(heaps, merged)
    cost += merged
print(cost)
