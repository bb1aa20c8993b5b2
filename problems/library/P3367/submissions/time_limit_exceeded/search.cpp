// Keeps the unions as edges of a graph, and searches it for each question.
#include <iostream>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, m;
    std::cin >> n >> m;
    std::vector<std::vector<int>> edges(n + 1);
    std::vector<int> seen(n + 1), queue;
    for (int k = 1; k <= m; ++k) {
        int z, x, y;
        std::cin >> z >> x >> y;
        if (z == 1) {
            edges[x].push_back(y);
            edges[y].push_back(x);
            continue;
        }
        queue.assign(1, x);
        seen[x] = k;
        for (std::size_t i = 0; i < queue.size() && seen[y] != k; ++i)
            for (int next : edges[queue[i]])
                if (seen[next] != k) {
                    seen[next] = k;
                    queue.push_back(next);
                }
        std::cout << (seen[y] == k ? "Y\n" : "N\n");
    }
}
