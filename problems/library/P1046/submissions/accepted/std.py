apples = list(map(int, input().split()))
reach = int(input()) + 30
print(sum(apple <= reach for apple in apples))
