// Uses every edge in both directions.
#include <functional>
#include <iostream>
#include <queue>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, m, s;
    std::cin >> n >> m >> s;
    std::vector<std::vector<std::pair<int, int>>> edges(n + 1);
    while (m--) {
        int u, v, w;
        std::cin >> u >> v >> w;
        edges[u].emplace_back(v, w);
        edges[v].emplace_back(u, w);
    }
    std::vector<long long> distance(n + 1, 2147483647);
    using Entry = std::pair<long long, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    distance[s] = 0;
    heap.emplace(0, s);
    while (!heap.empty()) {
        auto [d, u] = heap.top();
        heap.pop();
        if (d > distance[u]) continue;
        for (auto [v, w] : edges[u])
            if (d + w < distance[v]) {
                distance[v] = d + w;
                heap.emplace(d + w, v);
            }
    }
    for (int v = 1; v <= n; ++v) std::cout << distance[v] << ' ';
    std::cout << '\n';
}
