print(*input().split()[-2::-1])
