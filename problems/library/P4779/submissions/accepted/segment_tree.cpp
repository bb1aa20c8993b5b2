// Dijkstra's algorithm on a tree of minima, with distances in 32 bits: all lengths together are at most 10^9.
#include <algorithm>
#include <iostream>
using namespace std;

const int N = 1 << 17, FAR = 0x3f3f3f3f;
int head[N], next_edge[2 * N], to[2 * N], weight[2 * N];
int nearest[2 * N], result[N];

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m, s;
    cin >> n >> m >> s;
    for (int e = 1; e <= m; e++) {
        int u;
        cin >> u >> to[e] >> weight[e];
        next_edge[e] = head[u];
        head[u] = e;
    }
    fill(nearest, nearest + 2 * N, FAR);
    auto set = [](int x, int value) {
        for (nearest[x += N] = value; x > 1; x /= 2) nearest[x / 2] = min(nearest[x], nearest[x ^ 1]);
    };
    fill(result, result + N, FAR);
    result[s] = 0;
    set(s, 0);
    while (nearest[1] < FAR) {
        int u = 1;
        while (u < N) u = 2 * u + (nearest[2 * u] != nearest[u]);
        u -= N;
        set(u, FAR);
        for (int e = head[u]; e; e = next_edge[e]) {
            int d = result[u] + weight[e];
            if (d < result[to[e]]) set(to[e], result[to[e]] = d);
        }
    }
    for (int i = 1; i <= n; i++) cout << result[i] << ' ';
    cout << '\n';
}
