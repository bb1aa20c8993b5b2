# Knows the primes below 50 only.
n = int(input())
primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47]
print(n // next(p for p in primes if n % p == 0))
