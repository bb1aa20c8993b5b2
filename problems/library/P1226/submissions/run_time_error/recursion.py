# One call for each factor: Python refuses beyond 1000 calls.
def power(a, b, p):
    return 1 if b == 0 else a * power(a, b - 1, p) % p


a, b, p = map(int, input().split())
print(f"{a}^{b} mod {p}={power(a, b, p)}")
