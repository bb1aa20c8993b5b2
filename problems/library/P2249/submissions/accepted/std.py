input()
first = {}
for place, x in enumerate(input().split(), 1):
    first.setdefault(x, place)
print(*(first.get(x, -1) for x in input().split()))
