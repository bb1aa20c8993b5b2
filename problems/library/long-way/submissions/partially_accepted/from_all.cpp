// Begins at each city.
#include <cstdio>
#include <utility>
#include <vector>

static std::vector<std::pair<int, int>> roads[100001];
static long long best;

static void walk(int u, int from, long long far) {
    if (far > best)
        best = far;
    for (auto [v, w] : roads[u])
        if (v != from)
            walk(v, u, far + w);
}

int main() {
    int n, u, v, w;
    std::scanf("%d", &n);
    while (std::scanf("%d %d %d", &u, &v, &w) == 3) {
        roads[u].push_back({v, w});
        roads[v].push_back({u, w});
    }
    for (int i = 1; i <= n; i++)
        walk(i, 0, 0);
    std::printf("%lld\n", best);
}
