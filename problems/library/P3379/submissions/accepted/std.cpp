// Heavy paths, without recursion.
#include <cstdio>

const int N = 500005;
int head[N], next_edge[2 * N], to[2 * N], edges;
int father[N], depth[N], size[N], heavy[N], top[N], order[N];

void connect(int x, int y) {
    to[++edges] = y;
    next_edge[edges] = head[x];
    head[x] = edges;
}

int main() {
    int n, m, root;
    scanf("%d %d %d", &n, &m, &root);
    for (int i = 1; i < n; i++) {
        int x, y;
        scanf("%d %d", &x, &y);
        connect(x, y);
        connect(y, x);
    }
    int count = 0;
    order[count++] = root;
    for (int i = 0; i < count; i++) {
        int x = order[i];
        for (int e = head[x]; e; e = next_edge[e]) {
            if (to[e] == father[x]) continue;
            father[to[e]] = x;
            depth[to[e]] = depth[x] + 1;
            order[count++] = to[e];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        int x = order[i], f = father[x];
        size[x]++;
        size[f] += size[x];
        if (heavy[f] == 0 || size[x] > size[heavy[f]]) heavy[f] = x;
    }
    for (int i = 0; i < n; i++) {
        int x = order[i];
        top[x] = x != root && heavy[father[x]] == x ? top[father[x]] : x;
    }
    while (m--) {
        int a, b;
        scanf("%d %d", &a, &b);
        while (top[a] != top[b]) {
            if (depth[top[a]] > depth[top[b]]) a = father[top[a]];
            else b = father[top[b]];
        }
        printf("%d\n", depth[a] < depth[b] ? a : b);
    }
}
