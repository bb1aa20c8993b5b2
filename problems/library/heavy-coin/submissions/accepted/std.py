n, q = map(int, input().split())
left = list(range(1, n + 1))
while len(left) > 1:
    k = (len(left) + 1) // 3
    print("?", k, *left[: 2 * k], flush=True)
    answer = input()
    left = left[:k] if answer == "left" else left[k : 2 * k] if answer == "right" else left[2 * k :]
print("!", left[0])
