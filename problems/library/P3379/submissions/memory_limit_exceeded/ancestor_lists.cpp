// Keeps the whole way to the root for each node: depth * n numbers.
#include <iostream>
#include <vector>
using namespace std;

const int N = 500005;
vector<int> adjacent[N], way[N];

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m, root;
    cin >> n >> m >> root;
    for (int i = 1; i < n; i++) {
        int x, y;
        cin >> x >> y;
        adjacent[x].push_back(y);
        adjacent[y].push_back(x);
    }
    way[root] = {root};
    vector<int> order{root};
    for (int i = 0; i < n; i++) {
        int x = order[i];
        for (int y : adjacent[x]) {
            if (!way[y].empty()) continue;
            way[y] = way[x];
            way[y].push_back(y);
            order.push_back(y);
        }
    }
    while (m--) {
        int a, b;
        cin >> a >> b;
        size_t low = 0, high = min(way[a].size(), way[b].size());
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            if (way[a][middle] == way[b][middle]) low = middle;
            else high = middle;
        }
        cout << way[a][low] << '\n';
    }
}
