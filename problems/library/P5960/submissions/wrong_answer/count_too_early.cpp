// Takes n entries into the queue for a contradiction, but the end of a chain rightly enters n times.
#include <cstdio>
#include <queue>
#include <vector>
using namespace std;

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    vector<vector<pair<int, int>>> after(n + 1);
    while (m--) {
        int c, other, y;
        scanf("%d %d %d", &c, &other, &y);
        after[other].push_back({c, y});
    }
    vector<int> x(n + 1), entries(n + 1, 1);
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
            if (queued[v]) continue;
            queued[v] = true;
            queue.push(v);
            if (++entries[v] >= n) {
                puts("NO");
                return 0;
            }
        }
    }
    for (int i = 1; i <= n; i++) printf("%d%c", x[i], i == n ? '\n' : ' ');
}
