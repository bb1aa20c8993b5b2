# Forgets to print how many there are.
n = int(input())
if n % 4 in (1, 2):
    print("NO")
else:
    group = [1, 2] if n % 4 == 3 else []
    for i in range(n % 4 + 1, n, 4):
        group += [i, i + 3]
    print("YES")
    print(*group)
