# Dijkstra's algorithm; an entry of the heap is distance * 2^17 + vertex.
import sys
from heapq import heappop, heappush


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, m, s = data[:3]
    after = [[] for _ in range(n + 1)]
    for u, v, w in zip(data[3::3], data[4::3], data[5::3]):
        after[u].append((v, w))
    far = 1 << 60
    distance = [far] * (n + 1)
    distance[s] = 0
    heap = [s]
    while heap:
        d, u = divmod(heappop(heap), 1 << 17)
        if d > distance[u]:
            continue
        for v, w in after[u]:
            w += d
            if w < distance[v]:
                distance[v] = w
                heappush(heap, (w << 17) + v)
    print(*distance[1:])


main()
