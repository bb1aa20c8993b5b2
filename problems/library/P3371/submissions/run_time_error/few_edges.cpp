// Room for 200000 edges, not 500000.
#include <algorithm>
#include <array>
#include <climits>
#include <iostream>
#include <queue>
#include <utility>

struct Edge {
    int to, length, next;
};

std::array<Edge, 200001> edges;
std::array<int, 10001> head, distance_;
std::array<bool, 10001> queued;

int main() {
    std::ios::sync_with_stdio(false);
    int n, m, s;
    std::cin >> n >> m >> s;
    for (int i = 1; i <= m; ++i) {
        int u;
        std::cin >> u >> edges.at(i).to >> edges.at(i).length;
        edges.at(i).next = head[u];
        head[u] = i;
    }
    distance_.fill(INT_MAX);
    distance_[s] = 0;
    std::queue<int> queue;
    for (queue.push(s); !queue.empty(); queue.pop()) {
        int u = queue.front();
        queued[u] = false;
        for (int i = head[u]; i; i = edges[i].next)
            if (distance_[u] + 0LL + edges[i].length < distance_[edges[i].to]) {
                distance_[edges[i].to] = distance_[u] + edges[i].length;
                if (!std::exchange(queued[edges[i].to], true)) queue.push(edges[i].to);
            }
    }
    for (int v = 1; v <= n; ++v) std::cout << distance_[v] << ' ';
    std::cout << '\n';
}
