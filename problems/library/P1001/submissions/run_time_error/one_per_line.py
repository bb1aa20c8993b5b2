# Expects each number on a line of its own.
a = int(input())
b = int(input())
print(a + b)
