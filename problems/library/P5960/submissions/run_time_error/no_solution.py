# Raises an exception where it should print NO.
import sys


def main():
    n, m = map(int, sys.stdin.readline().split())
    rows = [tuple(map(int, line.split())) for line in sys.stdin]
    x = [0] * (n + 1)
    for _ in range(n):
        before = x[:]
        for c, other, y in rows:
            if x[other] + y < x[c]:
                x[c] = x[other] + y
        if x == before:
            print(*x[1:])
            return
    raise ValueError("no solution")


main()
