// Dijkstra on a matrix of n * n lengths: 400 MB.
#include <algorithm>
#include <climits>
#include <iostream>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, m, s;
    std::cin >> n >> m >> s;
    std::vector<std::vector<int>> length(n + 1, std::vector<int>(n + 1, INT_MAX));
    while (m--) {
        int u, v, w;
        std::cin >> u >> v >> w;
        length[u][v] = std::min(length[u][v], w);
    }
    std::vector<long long> distance(n + 1, INT_MAX);
    std::vector<bool> done(n + 1);
    distance[s] = 0;
    for (int round = 0; round < n; ++round) {
        int u = 0;
        for (int v = 1; v <= n; ++v)
            if (!done[v] && (u == 0 || distance[v] < distance[u])) u = v;
        done[u] = true;
        for (int v = 1; v <= n; ++v) distance[v] = std::min(distance[v], distance[u] + length[u][v]);
    }
    for (int v = 1; v <= n; ++v) std::cout << distance[v] << ' ';
    std::cout << '\n';
}
