// The middle of the three points.
#include <cmath>
#include <cstdio>

int main() {
    double ax, ay, bx, by, cx, cy;
    std::scanf("%lf %lf %lf %lf %lf %lf", &ax, &ay, &bx, &by, &cx, &cy);
    const double x = (ax + bx + cx) / 3, y = (ay + by + cy) / 3;
    std::printf("%.9f %.9f %.9f\n", x, y, std::hypot(ax - x, ay - y));
}
