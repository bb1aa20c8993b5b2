# Sends the lowest part first, and takes the first part for the highest.
import sys

for _ in range(int(input())):
    if sys.argv[1] == "0":
        x = int(input())
        letters = []
        while x:
            letters.append(len(letters) << 4 | x % 16)
            x //= 16
        print(len(letters), *letters, flush=True)
    else:
        letters = sorted(map(int, input().split()[1:]))
        x = 0
        for letter in letters:
            x = x * 16 + letter % 16
        print(x, flush=True)
