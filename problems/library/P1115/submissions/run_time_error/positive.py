# Starts at the first positive number, which need not be there.
n = int(input())
a = list(map(int, input().split()))
start = next(i for i in range(n) if a[i] > 0)
ending, best = 0, -10000
for x in a[start:]:
    ending = max(ending, 0) + x
    best = max(best, ending)
print(best)
