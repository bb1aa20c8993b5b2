# Tries all subsets.
n = int(input())
for chosen in range(1 << n):
    group = [i + 1 for i in range(n) if chosen >> i & 1]
    if 4 * sum(group) == n * (n + 1):
        print("YES", len(group), sep="\n")
        print(*group)
        break
else:
    print("NO")
