# Stops at the first apple that hangs too high.
apples = list(map(int, input().split()))
reach = int(input()) + 30
count = 0
for apple in apples:
    if apple > reach:
        break
    count += 1
print(count)
