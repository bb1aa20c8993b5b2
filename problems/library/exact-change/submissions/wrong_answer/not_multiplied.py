# Pays the greatest common divisor instead of c.
def euclid(a, b):
    if b == 0:
        return 1, 0, a
    x, y, d = euclid(b, a % b)
    return y, x - a // b * y, d


a, b, c = map(int, input().split())
x, y, d = euclid(a, b)
if c % d:
    print("NO")
else:
    print(x, y)
