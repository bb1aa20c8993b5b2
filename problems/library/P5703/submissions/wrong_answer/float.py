# Multiplies floating-point numbers, which hold 53 bits.
a, b = map(float, input().split())
print(round(a * b))
