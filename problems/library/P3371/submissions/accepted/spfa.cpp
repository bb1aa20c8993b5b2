// Bellman-Ford with a queue: the graphs are random, so it is quick.
#include <bits/stdc++.h>
using namespace std;

const int N = 10005, M = 500005;
int head[N], to[M], nxt[M], len[M], n, m, s;
long long dis[N];
bool queued[N];

int main() {
    scanf("%d%d%d", &n, &m, &s);
    for (int i = 1; i <= m; i++) {
        int u;
        scanf("%d%d%d", &u, &to[i], &len[i]);
        nxt[i] = head[u];
        head[u] = i;
    }
    fill(dis, dis + N, INT_MAX);
    dis[s] = 0;
    queue<int> q;
    q.push(s);
    while (!q.empty()) {
        int u = q.front();
        q.pop();
        queued[u] = false;
        for (int i = head[u]; i; i = nxt[i])
            if (dis[to[i]] > dis[u] + len[i]) {
                dis[to[i]] = dis[u] + len[i];
                if (!queued[to[i]]) queued[to[i]] = true, q.push(to[i]);
            }
    }
    for (int i = 1; i <= n; i++) printf("%lld ", dis[i]);
}
