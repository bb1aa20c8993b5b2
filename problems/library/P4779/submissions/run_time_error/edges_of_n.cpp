// Room for 100000 edges, where only the vertices are that few. Checked access throws.
#include <array>
#include <iostream>
#include <queue>
using namespace std;

const int N = 100005;
array<int, N> head, next_edge, to, weight, result;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m, s;
    cin >> n >> m >> s;
    for (int e = 1; e <= m; e++) {
        int u;
        cin >> u >> to.at(e) >> weight.at(e);
        next_edge.at(e) = head.at(u);
        head.at(u) = e;
    }
    result.fill(0x3f3f3f3f);
    priority_queue<pair<int, int>> heap;
    result[s] = 0;
    heap.push({0, s});
    while (!heap.empty()) {
        int d = -heap.top().first, u = heap.top().second;
        heap.pop();
        if (d > result[u]) continue;
        for (int e = head[u]; e; e = next_edge[e]) {
            if (d + weight[e] < result[to[e]]) {
                result[to[e]] = d + weight[e];
                heap.push({-result[to[e]], to[e]});
            }
        }
    }
    for (int i = 1; i <= n; i++) cout << result[i] << ' ';
    cout << '\n';
}
