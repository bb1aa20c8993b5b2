# Counts only choices that use up the time exactly.
t, m = map(int, input().split())
best = [0] + [-(10**9)] * t
for _ in range(m):
    cost, value = map(int, input().split())
    for j in range(t, cost - 1, -1):
        best[j] = max(best[j], best[j - cost] + value)
print(max(0, best[t]))
