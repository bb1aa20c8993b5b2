# Takes the smaller from the larger.
a, b = map(int, input().split())
print(abs(a - b))
