#include <cmath>
#include <cstdio>

int main() {
    double ax, ay, bx, by, cx, cy;
    if (std::scanf("%lf %lf %lf %lf %lf %lf", &ax, &ay, &bx, &by, &cx, &cy) != 6)
        return 1;
    bx -= ax;
    by -= ay;
    cx -= ax;
    cy -= ay;
    const double area = 2 * (bx * cy - by * cx), b = bx * bx + by * by, c = cx * cx + cy * cy;
    const double x = (cy * b - by * c) / area, y = (bx * c - cx * b) / area;
    std::printf("%.9f %.9f %.9f\n", ax + x, ay + y, std::hypot(x, y));
}
