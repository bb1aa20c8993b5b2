# Forgets the years divisible by 400.
n = int(input())
print(int(n % 4 == 0 and n % 100 != 0))
