// Bellman-Ford with all n - 1 rounds, also when nothing changes any more, over edges in a map.
#include <algorithm>
#include <iostream>
#include <map>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, m, s;
    std::cin >> n >> m >> s;
    std::map<std::pair<int, int>, long long> edges;
    while (m--) {
        int u, v, w;
        std::cin >> u >> v >> w;
        auto [edge, fresh] = edges.emplace(std::pair(u, v), w);
        if (!fresh) edge->second = std::min<long long>(edge->second, w);
    }
    std::vector<long long> distance(n + 1, 2147483647);
    distance[s] = 0;
    for (int round = 1; round < n; ++round)
        for (auto [ends, length] : edges)
            distance[ends.second] = std::min(distance[ends.second], distance[ends.first] + length);
    for (int v = 1; v <= n; ++v) std::cout << distance[v] << ' ';
    std::cout << '\n';
}
