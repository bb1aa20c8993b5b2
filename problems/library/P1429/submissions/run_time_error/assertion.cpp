// Asserts that no two points coincide.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <set>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<double, double>> p(n);
    for (auto &[x, y] : p)
        if (scanf("%lf%lf", &x, &y) != 2) return 1;
    std::sort(p.begin(), p.end());
    std::set<std::pair<double, double>> near;
    double best = INFINITY;
    for (int i = 0, old = 0; i < n; ++i) {
        auto [x, y] = p[i];
        while (old < i && x - p[old].first >= best) near.erase({p[old].second, p[old].first}), ++old;
        for (auto it = near.lower_bound({y - best, -1}); it != near.end() && it->first - y < best; ++it) {
            best = std::min(best, std::hypot(x - it->second, y - it->first));
            assert(best > 0);
        }
        near.insert({y, x});
    }
    printf("%.4f\n", best);
}
