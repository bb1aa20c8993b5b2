import sys

for _ in range(int(sys.stdin.readline())):
    if sys.argv[1] == "0":
        x = int(sys.stdin.readline())
        print(15, *(i << 4 | x >> 4 * i & 15 for i in range(15)))
    else:
        print(sum((letter & 15) << 4 * (letter >> 4) for letter in map(int, sys.stdin.readline().split()[1:])))
