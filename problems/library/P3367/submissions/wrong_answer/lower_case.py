# Right, but for the case of the letters.
import sys


def main():
    lines = sys.stdin.buffer
    n, m = map(int, next(lines).split())
    parent = list(range(n + 1))
    answers = []
    for line in lines:
        z, x, y = map(int, line.split())
        while parent[x] != x:
            parent[x] = x = parent[parent[x]]
        while parent[y] != y:
            parent[y] = y = parent[parent[y]]
        if z == 1:
            parent[x] = y
        else:
            answers.append("y" if x == y else "n")
    print("\n".join(answers))


main()
