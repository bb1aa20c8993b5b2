with open("fence.in") as file:
    n, *heights = map(int, file.read().split())
most = added = 0
for h in heights:
    most = max(most, h)
    added += most - h
with open("fence.out", "w") as file:
    print(added, file=file)
