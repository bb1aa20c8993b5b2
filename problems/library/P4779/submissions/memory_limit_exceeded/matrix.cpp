// Adjacency matrix: 40 GB for 100000 vertices.
#include <iostream>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m, s;
    cin >> n >> m >> s;
    const int far = 0x3f3f3f3f;
    vector<vector<int>> length(n + 1, vector<int>(n + 1, far));
    while (m--) {
        int u, v, w;
        cin >> u >> v >> w;
        length[u][v] = min(length[u][v], w);
    }
    vector<int> distance(n + 1, far);
    vector<bool> done(n + 1);
    distance[s] = 0;
    for (int round = 0; round < n; round++) {
        int u = 0;
        for (int i = 1; i <= n; i++) {
            if (!done[i] && distance[i] < distance[u]) u = i;
        }
        done[u] = true;
        for (int v = 1; v <= n; v++) distance[v] = min(distance[v], distance[u] + length[u][v]);
    }
    for (int i = 1; i <= n; i++) cout << distance[i] << ' ';
    cout << '\n';
}
