n = int(input())
most = added = 0
for h in map(int, input().split()):
    most = max(most, h)
    added += most - h
with open("fence.out", "w") as file:
    print(added, file=file)
