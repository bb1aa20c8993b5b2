# Divides the children by the sweets.
a, b = map(int, input().split())
b // a
print(a // b, a % b)
