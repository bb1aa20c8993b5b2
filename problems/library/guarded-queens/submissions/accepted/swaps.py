# As swaps.cpp: two rows swap their queens while fewer clash; rows that clash are kept in a list.
import random
import sys

board = sys.stdin.read().split()[1:]
n = len(board)
rng = random.Random(1)
queens, up, down = [], [], []


def add(row, by):
    up[row + queens[row]] += by
    down[row - queens[row] + n] += by


def bad(row):
    column = queens[row]
    return 2 * (board[row][column] == "#") + (up[row + column] > 1) + (down[row - column + n] > 1)


def swap(a, b):
    add(a, -1)
    add(b, -1)
    queens[a], queens[b] = queens[b], queens[a]
    add(a, 1)
    add(b, 1)


def search():
    global queens, up, down
    queens = rng.sample(range(n), n)
    up, down = [0] * (2 * n), [0] * (2 * n)
    for row in range(n):
        add(row, 1)
    for _ in range(60 * n):
        clashing = [row for row in range(n) if bad(row)]
        if not clashing:
            return True
        a = rng.choice(clashing)
        best, partner = 1 << 30, a
        for b in rng.sample(range(n), min(n, 40)):
            if a == b:
                continue
            before = bad(a) + bad(b)
            swap(a, b)
            now = bad(a) + bad(b) - before + rng.random()
            swap(a, b)
            if now < best:
                best, partner = now, b
        if partner != a and (best < 2 or rng.random() < 0.25):
            swap(a, partner)
    return False


while not search():
    pass
print(*(column + 1 for column in queens))
