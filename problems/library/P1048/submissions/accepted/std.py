t, m = map(int, input().split())
best = [0] * (t + 1)
for _ in range(m):
    cost, value = map(int, input().split())
    for j in range(t, cost - 1, -1):
        if best[j - cost] + value > best[j]:
            best[j] = best[j - cost] + value
print(best[t])
