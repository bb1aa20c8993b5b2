# Looks for an eleventh apple.
numbers = list(map(int, input().split()))
reach = int(input()) + 30
print(sum(numbers[i] <= reach for i in range(11)))
