// Bellman-Ford with a queue.
#include <cstdio>
#include <queue>
#include <vector>
using namespace std;

int main() {
    int n, m, s;
    scanf("%d %d %d", &n, &m, &s);
    vector<vector<pair<int, int>>> after(n + 1);
    while (m--) {
        int u, v, w;
        scanf("%d %d %d", &u, &v, &w);
        after[u].push_back({v, w});
    }
    vector<int> distance(n + 1, 0x3f3f3f3f);
    vector<bool> queued(n + 1);
    queue<int> queue;
    distance[s] = 0;
    queue.push(s);
    while (!queue.empty()) {
        int u = queue.front();
        queue.pop();
        queued[u] = false;
        for (auto [v, w] : after[u]) {
            if (distance[u] + w < distance[v]) {
                distance[v] = distance[u] + w;
                if (!queued[v]) {
                    queued[v] = true;
                    queue.push(v);
                }
            }
        }
    }
    for (int i = 1; i <= n; i++) printf("%d ", distance[i]);
}
