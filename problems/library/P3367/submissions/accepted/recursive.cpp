// Path compression by recursion, which is deep on a chain; no union by size.
#include <cstdio>

int parent[200005];

int find(int x) { return parent[x] == x ? x : parent[x] = find(parent[x]); }

int main() {
    int n, m, z, x, y;
    scanf("%d%d", &n, &m);
    for (int i = 1; i <= n; i++) parent[i] = i;
    while (m--) {
        scanf("%d%d%d", &z, &x, &y);
        if (z == 1)
            parent[find(x)] = find(y);
        else
            puts(find(x) == find(y) ? "Y" : "N");
    }
}
