// Collects the distances of all pairs and takes the least.
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
    std::vector<double> distance;
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j)
            distance.push_back(std::hypot(p[i].first - p[j].first, p[i].second - p[j].second));
    printf("%.4f\n", *std::min_element(distance.begin(), distance.end()));
}
