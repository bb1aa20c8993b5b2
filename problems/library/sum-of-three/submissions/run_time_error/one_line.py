# Expects all three on the first line.
a, b, c = map(int, input().split())
print(a + b + c)
