print(len(input().replace(" ", "")))
