print(int(input()) + int(input()) + int(input()))
