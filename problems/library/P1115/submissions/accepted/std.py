input()
ending, best = 0, -10000
for x in map(int, input().split()):
    ending = max(ending, 0) + x
    best = max(best, ending)
print(best)
