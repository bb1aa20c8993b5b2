n = int(input())
print(n // next(p for p in range(2, n) if n % p == 0))
