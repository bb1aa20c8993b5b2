# Rounds over all inequalities, until nothing changes.
import sys


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n = data[0]
    rows = list(zip(data[2::3], data[3::3], data[4::3]))
    x = [0] * (n + 1)
    for _ in range(n):
        changed = False
        for c, other, y in rows:
            y += x[other]
            if y < x[c]:
                x[c] = y
                changed = True
        if not changed:
            print(*x[1:])
            return
    print("NO")


main()
