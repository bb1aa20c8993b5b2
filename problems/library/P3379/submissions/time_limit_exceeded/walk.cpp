// Walks from father to father: fine on random trees, hopeless on a chain.
#include <iostream>
#include <vector>
using namespace std;

const int N = 500005;
vector<int> adjacent[N];
int father[N], depth[N];

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
    vector<int> order{root};
    for (int i = 0; i < n; i++) {
        int x = order[i];
        for (int y : adjacent[x]) {
            if (y == father[x]) continue;
            father[y] = x;
            depth[y] = depth[x] + 1;
            order.push_back(y);
        }
    }
    while (m--) {
        int a, b;
        cin >> a >> b;
        while (a != b) {
            if (depth[a] > depth[b]) a = father[a];
            else b = father[b];
        }
        cout << a << '\n';
    }
}
