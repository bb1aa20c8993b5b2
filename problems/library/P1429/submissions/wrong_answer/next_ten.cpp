// Compares each point with the next ten in order of x.
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
    std::sort(p.begin(), p.end());
    double best = INFINITY;
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n && j <= i + 10; ++j)
            best = std::min(best, std::hypot(p[i].first - p[j].first, p[i].second - p[j].second));
    printf("%.4f\n", best);
}
