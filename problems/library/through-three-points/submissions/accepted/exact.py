from fractions import Fraction

ax, ay = map(int, input().split())
bx, by = map(int, input().split())
cx, cy = map(int, input().split())
bx, by, cx, cy = bx - ax, by - ay, cx - ax, cy - ay
area, b, c = 2 * (bx * cy - by * cx), bx * bx + by * by, cx * cx + cy * cy
x, y = Fraction(cy * b - by * c, area), Fraction(bx * c - cx * b, area)
print(float(ax + x), float(ay + y), float(x * x + y * y) ** 0.5)
