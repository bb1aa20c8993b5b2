import sys


def send(x):
    letters = [i << 4 | x >> 4 * i & 15 for i in range(15)]
    return [len(letters), *letters]


def receive(letters):
    return sum((letter & 15) << 4 * (letter >> 4) for letter in letters)


for _ in range(int(input())):
    if sys.argv[1] == "0":
        print(*send(int(input())), flush=True)
    else:
        print(receive(map(int, input().split()[1:])), flush=True)
