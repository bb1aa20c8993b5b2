rows = [list(map(int, input().split())) for _ in range(int(input()))]
best = rows.pop()
while rows:
    best = [x + max(best[i], best[i + 1]) for i, x in enumerate(rows.pop())]
print(best[0])
