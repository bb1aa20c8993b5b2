import sys


def main():
    lines = sys.stdin.buffer
    n, m = map(int, next(lines).split())
    parent = list(range(n + 1))
    answers = []
    for line in lines:
        z, x, y = line.split()
        x, y = int(x), int(y)
        while parent[x] != x:
            parent[x] = x = parent[parent[x]]
        while parent[y] != y:
            parent[y] = y = parent[parent[y]]
        if z == b"1":
            parent[x] = y
        else:
            answers.append("Y" if x == y else "N")
    print("\n".join(answers))


main()
