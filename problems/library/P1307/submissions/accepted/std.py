n = input()
print(int(n[0] + n[:0:-1]) if n[0] == "-" else int(n[::-1]))
