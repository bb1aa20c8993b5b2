# Prints the answer instead of writing it into the file.
with open("fence.in") as file:
    n, *heights = map(int, file.read().split())
most = added = 0
for h in heights:
    most = max(most, h)
    added += most - h
print(added)
