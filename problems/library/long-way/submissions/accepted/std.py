import sys

n, *rest = map(int, sys.stdin.buffer.read().split())
roads = [[] for _ in range(n + 1)]
for i in range(0, len(rest), 3):
    u, v, w = rest[i : i + 3]
    roads[u].append((v, w))
    roads[v].append((u, w))


def farthest(begin):
    at = [-1] * (n + 1)
    at[begin] = 0
    queue = [begin]
    for u in queue:
        for v, w in roads[u]:
            if at[v] < 0:
                at[v] = at[u] + w
                queue.append(v)
    return max(queue, key=at.__getitem__), at


print(max(farthest(farthest(1)[0])[1]))
