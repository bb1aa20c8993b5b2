l, m = map(int, input().split())
left = set(range(l + 1))
for _ in range(m):
    u, v = map(int, input().split())
    left.difference_update(range(u, v + 1))
print(len(left))
