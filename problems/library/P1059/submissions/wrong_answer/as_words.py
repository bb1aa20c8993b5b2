# Sorts them as words.
input()
numbers = sorted(set(input().split()))
print(len(numbers))
print(*numbers)
