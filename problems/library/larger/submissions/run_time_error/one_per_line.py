# Reads one number a line.
a = int(input())
b = int(input())
print(max(a, b))
