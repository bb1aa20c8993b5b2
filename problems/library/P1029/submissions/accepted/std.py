from math import gcd

x, y = map(int, input().split())
print(sum(x * y % p == 0 and gcd(p, x * y // p) == x for p in range(x, y + 1, x)))
