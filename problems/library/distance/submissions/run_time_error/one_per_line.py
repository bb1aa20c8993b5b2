# Reads one number a line.
a = int(input())
b = int(input())
print(abs(a - b))
