# Believes that coordinates are integers.
import sys

n = int(sys.stdin.readline())
points = [tuple(map(int, line.split())) for line in sys.stdin]
points.sort(key=lambda p: p[1])
best = min(((x - a) ** 2 + (y - b) ** 2) ** 0.5 for (x, y), (a, b) in zip(points, points[1:]))
print(best)
