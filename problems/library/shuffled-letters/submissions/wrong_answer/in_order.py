# Believes that the post keeps the order.
import sys

for _ in range(int(input())):
    if sys.argv[1] == "0":
        x = int(input())
        print(8, *(x >> 8 * i & 255 for i in range(8)), flush=True)
    else:
        letters = list(map(int, input().split()))[1:]
        print(sum(letter << 8 * i for i, letter in enumerate(letters)), flush=True)
