# Shows: 20 MB of output by print, joined
# Problem: flood
n = int(input())
for start in range(0, n, 10000):
    print("\n".join(map(str, range(3 * start, 3 * min(n, start + 10000), 3))))
