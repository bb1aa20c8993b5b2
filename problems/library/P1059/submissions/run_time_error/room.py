# Has room for numbers up to 100.
input()
there = [False] * 101
for x in map(int, input().split()):
    there[x] = True
numbers = [x for x in range(101) if there[x]]
print(len(numbers))
print(*numbers)
