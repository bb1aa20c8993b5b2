# Points are put, in random order, into squares as wide as the least distance so far; a nearer one is in a square around.
# Different squares may share a key: that costs a few comparisons more, no more.
import random
import sys

ROW = 1000003
AROUND = [x * ROW + y for x in (-1, 0, 1) for y in (-1, 0, 1)]


def least_distance(points):
    best = abs(points[0] - points[1])
    count = 0
    squares = {}
    while best > 0:
        squares.clear()
        for p in points[:count]:
            squares.setdefault(int(p.real / best) * ROW + int(p.imag / best), []).append(p)
        for p in points[count:]:
            count += 1
            key = int(p.real / best) * ROW + int(p.imag / best)
            near = [abs(p - q) for offset in AROUND if key + offset in squares for q in squares[key + offset]]
            if near and min(near) < best:
                best = min(near)
                break
            squares.setdefault(key, []).append(p)
        else:
            break
    return best


numbers = list(map(float, sys.stdin.buffer.read().split()))
points = list(map(complex, numbers[1::2], numbers[2::2]))
random.seed(1)
random.shuffle(points)
print(least_distance(points))
