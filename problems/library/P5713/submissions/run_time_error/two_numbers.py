# Expects two numbers.
n, m = map(int, input().split())
print("Local" if 5 * n < 11 + 3 * n else "Luogu")
