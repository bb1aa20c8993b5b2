# Fenwick tree.
import sys


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, m = data[0], data[1]
    tree = [0] + data[2:n + 2]
    for i in range(1, n + 1):
        parent = i + (i & -i)
        if parent <= n:
            tree[parent] += tree[i]
    out = []
    at = n + 2
    for at in range(n + 2, n + 2 + 3 * m, 3):
        x = data[at + 1]
        y = data[at + 2]
        if data[at] == 1:
            while x <= n:
                tree[x] += y
                x += x & -x
        else:
            x -= 1
            result = 0
            while y > x:
                result += tree[y]
                y &= y - 1
            while x > y:
                result -= tree[x]
                x &= x - 1
            out.append(result)
    print("\n".join(map(str, out)))


main()
