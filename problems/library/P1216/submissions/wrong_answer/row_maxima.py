# Adds the largest number of each row, on a path or not.
print(sum(max(map(int, input().split())) for _ in range(int(input()))))
