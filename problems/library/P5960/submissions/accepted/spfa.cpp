// The same paths with a queue; a path of more than n edges goes in a circle. Prints a solution far from the usual one.
#include <iostream>
#include <queue>
#include <vector>
using namespace std;

int main() {
    int n, m;
    cin >> n >> m;
    vector<vector<pair<int, int>>> after(n + 1);
    while (m--) {
        int c, other, y;
        cin >> c >> other >> y;
        after[other].push_back({c, y});
    }
    vector<long long> x(n + 1);
    vector<int> edges(n + 1);
    vector<bool> queued(n + 1, true);
    queue<int> queue;
    for (int i = 1; i <= n; i++) queue.push(i);
    while (!queue.empty()) {
        int u = queue.front();
        queue.pop();
        queued[u] = false;
        for (auto [v, y] : after[u]) {
            if (x[u] + y >= x[v]) continue;
            x[v] = x[u] + y;
            edges[v] = edges[u] + 1;
            if (edges[v] >= n) {
                cout << "NO" << endl;
                return 0;
            }
            if (!queued[v]) {
                queued[v] = true;
                queue.push(v);
            }
        }
    }
    for (int i = 1; i <= n; i++) cout << x[i] - 4000000000000000000 << "\n";
}
