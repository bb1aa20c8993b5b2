// Fixes a distance when a vertex is first seen, not when it leaves the heap.
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
    }
    std::vector<long long> distance(n + 1, 2147483647);
    std::vector<bool> seen(n + 1);
    using Entry = std::pair<long long, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    distance[s] = 0;
    seen[s] = true;
    heap.emplace(0, s);
    while (!heap.empty()) {
        auto [d, u] = heap.top();
        heap.pop();
        for (auto [v, w] : edges[u])
            if (!seen[v]) {
                seen[v] = true;
                distance[v] = d + w;
                heap.emplace(d + w, v);
            }
    }
    for (int v = 1; v <= n; ++v) std::cout << distance[v] << ' ';
    std::cout << '\n';
}
