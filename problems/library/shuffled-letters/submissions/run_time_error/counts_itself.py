# Takes the count for a letter, and fails in the receiver alone.
import sys

for _ in range(int(input())):
    if sys.argv[1] == "0":
        x = int(input())
        print(15, *(i << 4 | x >> 4 * i & 15 for i in range(15)), flush=True)
    else:
        parts = [0] * 15
        for letter in map(int, input().split()):
            parts[letter >> 4] += letter & 15
        print(sum(parts[i + 1] << 4 * i for i in range(15)), flush=True)
