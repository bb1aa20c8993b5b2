// Finds the shortest paths from every vertex, and prints those from s.
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
    std::vector<long long> wanted, distance;
    for (int start = 1; start <= n; ++start) {
        distance.assign(n + 1, 2147483647);
        using Entry = std::pair<long long, int>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
        distance[start] = 0;
        heap.emplace(0, start);
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
        if (start == s) wanted = distance;
    }
    for (int v = 1; v <= n; ++v) std::cout << wanted[v] << ' ';
    std::cout << '\n';
}
