// Divide and conquer; the halves come back sorted by y.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

struct Point {
    double x, y;
};

std::vector<Point> points, strip;
double best = INFINITY;

void closest(int l, int r) {  // in [l, r), which it sorts by y
    if (r - l < 2) return;
    int m = (l + r) / 2;
    double middle = points[m].x;
    closest(l, m);
    closest(m, r);
    auto by_y = [](const Point &a, const Point &b) { return a.y < b.y; };
    std::inplace_merge(points.begin() + l, points.begin() + m, points.begin() + r, by_y);
    strip.clear();
    for (int i = l; i < r; ++i) {
        const Point &p = points[i];
        if (std::abs(p.x - middle) >= best) continue;
        for (int k = strip.size() - 1; k >= 0 && p.y - strip[k].y < best; --k)
            best = std::min(best, std::hypot(p.x - strip[k].x, p.y - strip[k].y));
        strip.push_back(p);
    }
}

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    points.resize(n);
    for (Point &p : points)
        if (scanf("%lf%lf", &p.x, &p.y) != 2) return 1;
    std::sort(points.begin(), points.end(), [](const Point &a, const Point &b) { return a.x < b.x; });
    closest(0, n);
    printf("%.4f\n", best);
}
