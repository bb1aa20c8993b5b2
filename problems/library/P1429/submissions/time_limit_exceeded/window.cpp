// Looks left and right only as far as x allows: quick on random points, quadratic where they lie close together in x.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<double, double>> p(n);
    for (auto &[x, y] : p)
        if (scanf("%lf%lf", &x, &y) != 2) return 1;
    std::sort(p.begin(), p.end(), [](auto a, auto b) { return a.first < b.first; });
    double best = INFINITY;
    auto compare = [&](auto a, auto b) { best = std::min(best, std::hypot(a.first - b.first, a.second - b.second)); };
    for (int i = 0; i < n; ++i) {
        for (int j = i - 1; j >= 0 && p[i].first - p[j].first < best; --j) compare(p[i], p[j]);
        for (int j = i + 1; j < n && p[j].first - p[i].first < best; ++j) compare(p[i], p[j]);
    }
    printf("%.4f\n", best);
}
