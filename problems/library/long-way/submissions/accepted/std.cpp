// The city farthest from any city is an end of a longest way.
#include <cstdio>
#include <utility>
#include <vector>

static std::vector<std::pair<int, int>> roads[100001];

static std::pair<long long, int> farthest(int from, int n) {
    std::vector<long long> at(n + 1, -1);
    std::vector<int> queue{from};
    at[from] = 0;
    std::pair<long long, int> best{0, from};
    for (size_t i = 0; i < queue.size(); i++) {
        const int u = queue[i];
        best = std::max(best, {at[u], u});
        for (auto [v, w] : roads[u])
            if (at[v] < 0) {
                at[v] = at[u] + w;
                queue.push_back(v);
            }
    }
    return best;
}

int main() {
    int n, u, v, w;
    if (std::scanf("%d", &n) != 1)
        return 1;
    while (std::scanf("%d %d %d", &u, &v, &w) == 3) {
        roads[u].push_back({v, w});
        roads[v].push_back({u, w});
    }
    std::printf("%lld\n", farthest(farthest(1, n).second, n).first);
}
