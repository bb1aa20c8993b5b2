// Fixes the distance of a vertex when it enters the heap, not when it leaves it.
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
    vector<long long> distance(n + 1, 1e18);
    priority_queue<pair<long long, int>, vector<pair<long long, int>>, greater<pair<long long, int>>> heap;
    distance[s] = 0;
    heap.push({0, s});
    while (!heap.empty()) {
        auto [d, u] = heap.top();
        heap.pop();
        if (d > distance[u]) continue;
        for (auto [v, w] : after[u]) {
            if (distance[v] == (long long)1e18) {
                distance[v] = d + w;
                heap.push({distance[v], v});
            }
        }
    }
    for (int i = 1; i <= n; i++) printf("%lld%c", distance[i], i == n ? '\n' : ' ');
}
