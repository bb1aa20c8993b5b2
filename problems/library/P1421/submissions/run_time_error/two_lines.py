# Expects the jiao on a line of their own.
a, b = int(input()), int(input())
print((10 * a + b) // 19)
