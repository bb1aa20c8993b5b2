# Sorts the numbers as text: 100 before 9.
input()
print(*sorted(input().split()))
