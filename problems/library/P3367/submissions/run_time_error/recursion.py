# A recursive find, and the default recursion limit.
import sys


def find(parent, x):
    if parent[x] != x:
        parent[x] = find(parent, parent[x])
    return parent[x]


def main():
    lines = sys.stdin.buffer
    n, m = map(int, next(lines).split())
    parent = list(range(n + 1))
    answers = []
    for line in lines:
        z, x, y = map(int, line.split())
        if z == 1:
            parent[find(parent, x)] = find(parent, y)
        else:
            answers.append("Y" if find(parent, x) == find(parent, y) else "N")
    print("\n".join(answers))


main()
