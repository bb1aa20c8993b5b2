ax, ay = map(int, input().split())
bx, by = map(int, input().split())
cx, cy = map(int, input().split())
bx, by, cx, cy = bx - ax, by - ay, cx - ax, cy - ay
area, b, c = 2 * (bx * cy - by * cx), bx * bx + by * by, cx * cx + cy * cy
x, y = (cy * b - by * c) / area, (bx * c - cx * b) / area
print(f"{ax + x:.3f} {ay + y:.3f} {(x * x + y * y) ** 0.5:.3f}")
