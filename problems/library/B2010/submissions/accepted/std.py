print(*divmod(*map(int, input().split())))
