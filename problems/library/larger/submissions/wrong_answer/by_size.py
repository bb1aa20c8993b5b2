# The one that is larger without its sign.
a, b = map(int, input().split())
print(a if abs(a) > abs(b) else b)
