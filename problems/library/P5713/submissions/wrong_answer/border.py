# Rounds the border up.
n = int(input())
print("Local" if n <= (11 + 1) / 2 else "Luogu")
