n = int(input())
print("Local" if 5 * n < 11 + 3 * n else "Luogu")
