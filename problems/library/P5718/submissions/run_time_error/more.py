# Looks one further than there are numbers.
n = int(input())
numbers = list(map(int, input().split()))
print(min(numbers[i] for i in range(n + 1)))
