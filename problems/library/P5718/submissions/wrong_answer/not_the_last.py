# Leaves out the last number.
n = int(input())
print(min(list(map(int, input().split()))[: n - 1], default=0))
