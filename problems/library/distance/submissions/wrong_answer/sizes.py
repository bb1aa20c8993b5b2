# Subtracts without the signs.
a, b = map(int, input().split())
print(abs(abs(a) - abs(b)))
