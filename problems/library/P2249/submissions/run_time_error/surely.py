# Relies on each number being there.
input()
a = input().split()
print(*(a.index(x) + 1 for x in input().split()))
