# Looks through the sequence for each number.
input()
a = list(map(int, input().split()))
print(*(a.index(x) + 1 if x in a else -1 for x in map(int, input().split())))
