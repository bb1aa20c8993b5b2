from math import gcd

a, b, c = map(int, input().split())
d = gcd(a, b)
if c % d:
    print("NO")
else:
    x = c // d * pow(a // d, -1, b // d) % (b // d) if b > d else 0
    print(x, (c - a * x) // b)
