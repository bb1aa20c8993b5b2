// Of parallel edges the last one counts.
#include <cstdio>
#include <map>
#include <queue>
#include <vector>
using namespace std;

int main() {
    int n, m, s;
    scanf("%d %d %d", &n, &m, &s);
    vector<map<int, int>> after(n + 1);
    while (m--) {
        int u, v, w;
        scanf("%d %d %d", &u, &v, &w);
        after[u][v] = w;
    }
    vector<int> distance(n + 1, 0x3f3f3f3f);
    priority_queue<pair<int, int>> heap;
    distance[s] = 0;
    heap.push({0, s});
    while (!heap.empty()) {
        auto [d, u] = heap.top();
        heap.pop();
        if (-d > distance[u]) continue;
        for (auto [v, w] : after[u]) {
            if (distance[u] + w < distance[v]) {
                distance[v] = distance[u] + w;
                heap.push({-distance[v], v});
            }
        }
    }
    for (int i = 1; i <= n; i++) printf("%d ", distance[i]);
}
