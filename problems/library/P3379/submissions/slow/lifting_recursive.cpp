// Binary lifting over a recursive search: on a chain it is half a million calls deep.
#include <iostream>
#include <vector>
using namespace std;

const int N = 500005, LOG = 19;
vector<int> adjacent[N];
int up[N][LOG], depth[N];

void search(int x, int father) {
    up[x][0] = father;
    depth[x] = depth[father] + 1;
    for (int j = 1; j < LOG; j++) up[x][j] = up[up[x][j - 1]][j - 1];
    for (int y : adjacent[x]) {
        if (y != father) search(y, x);
    }
}

int lca(int a, int b) {
    if (depth[a] < depth[b]) swap(a, b);
    for (int j = LOG - 1; j >= 0; j--) {
        if (depth[up[a][j]] >= depth[b]) a = up[a][j];
    }
    if (a == b) return a;
    for (int j = LOG - 1; j >= 0; j--) {
        if (up[a][j] != up[b][j]) a = up[a][j], b = up[b][j];
    }
    return up[a][0];
}

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
    search(root, 0);
    while (m--) {
        int a, b;
        cin >> a >> b;
        cout << lca(a, b) << '\n';
    }
}
