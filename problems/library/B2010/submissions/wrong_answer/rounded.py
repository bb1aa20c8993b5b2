# Rounds to the nearest, with ties downwards.
a, b = map(int, input().split())
each = (2 * a + b - 1) // (2 * b)
print(each, abs(a - each * b))
