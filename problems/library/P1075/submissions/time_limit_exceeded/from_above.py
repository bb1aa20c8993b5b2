# Looks for the larger prime from above.
n = int(input())
p = n - 1
while n % p:
    p -= 1
print(p)
