// Compares the depths of the nodes, not of the tops of their paths: climbs beyond the root, where checked access throws.
#include <iostream>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m, root;
    cin >> n >> m >> root;
    vector<vector<int>> adjacent(n + 1);
    for (int i = 1; i < n; i++) {
        int x, y;
        cin >> x >> y;
        adjacent[x].push_back(y);
        adjacent[y].push_back(x);
    }
    vector<int> father(n + 1, -1), depth(n + 1), heavy(n + 1, -1), size(n + 1, 1), top(n + 1), order{root};
    for (int i = 0; i < n; i++) {
        int x = order[i];
        for (int y : adjacent[x]) {
            if (y == father[x]) continue;
            father[y] = x;
            depth[y] = depth[x] + 1;
            order.push_back(y);
        }
    }
    for (int i = n - 1; i > 0; i--) {
        int x = order[i], f = father[x];
        size[f] += size[x];
        if (heavy[f] < 0 || size[x] > size[heavy[f]]) heavy[f] = x;
    }
    for (int x : order) top[x] = x != root && heavy[father[x]] == x ? top[father[x]] : x;
    while (m--) {
        int a, b;
        cin >> a >> b;
        while (top.at(a) != top.at(b)) {
            if (depth[a] > depth[b]) a = father[top[a]];
            else b = father[top[b]];
        }
        cout << (depth[a] < depth[b] ? a : b) << '\n';
    }
}
