# Heavy paths.
import sys


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, m, root = data[0], data[1], data[2]
    adjacent = [[] for _ in range(n + 1)]
    middle = 3 + 2 * (n - 1)
    for x, y in zip(data[3:middle:2], data[4:middle:2]):
        adjacent[x].append(y)
        adjacent[y].append(x)
    father = [0] * (n + 1)
    order = [root]
    for x in order:
        f = father[x]
        for y in adjacent[x]:
            if y != f:
                father[y] = x
                order.append(y)
    del adjacent
    size = [1] * (n + 1)
    heavy = [0] * (n + 1)
    best = [0] * (n + 1)
    for x in reversed(order):
        f = father[x]
        size[f] += size[x]
        if size[x] > best[f]:
            best[f] = size[x]
            heavy[f] = x
    top = [0] * (n + 1)
    place = [0] * (n + 1)  # in breadth-first order: ancestors come first
    for i, x in enumerate(order):
        place[x] = i
        f = father[x]
        top[x] = top[f] if f and heavy[f] == x else x
    out = []
    for a, b in zip(data[middle::2], data[middle + 1::2]):
        s = top[a]
        t = top[b]
        while s != t:
            if place[s] > place[t]:
                a = father[s]
                s = top[a]
            else:
                b = father[t]
                t = top[b]
        out.append(a if place[a] < place[b] else b)
    print("\n".join(map(str, out)))


main()
