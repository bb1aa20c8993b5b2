# Two Fenwick trees over the differences: sum(1..x) = x * D(x) - E(x).
import sys


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, m = data[0], data[1]
    prefix = [0] * (n + 1)
    total = 0
    for i in range(1, n + 1):
        total += data[i + 1]
        prefix[i] = total
    plain = [0] * (n + 2)
    weighted = [0] * (n + 2)
    out = []
    at = n + 2
    for _ in range(m):
        x = data[at + 1] - 1
        y = data[at + 2]
        if data[at] == 1:
            k = data[at + 3]
            at += 4
            w = k * x
            i = x + 1
            while i <= n:
                plain[i] += k
                weighted[i] += w
                i += i & -i
            w = k * y
            i = y + 1
            while i <= n:
                plain[i] -= k
                weighted[i] -= w
                i += i & -i
        else:
            at += 3
            d = e = 0
            i = y
            while i:
                d += plain[i]
                e += weighted[i]
                i &= i - 1
            result = prefix[y] + d * y - e
            d = e = 0
            i = x
            while i:
                d += plain[i]
                e += weighted[i]
                i &= i - 1
            out.append(result - prefix[x] - d * x + e)
    print("\n".join(map(str, out)))


main()
