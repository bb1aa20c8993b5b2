// Shortest paths from a vertex that reaches all others at length 0: n rounds over all edges.
#include <cstdio>
#include <vector>
using namespace std;

struct Edge {
    int from, to, length;
};

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    vector<Edge> edges(m);
    for (auto &e : edges) scanf("%d %d %d", &e.to, &e.from, &e.length);
    vector<int> x(n + 1);
    bool changed = true;
    for (int round = 0; round < n && changed; round++) {
        changed = false;
        for (auto &e : edges) {
            if (x[e.from] + e.length < x[e.to]) {
                x[e.to] = x[e.from] + e.length;
                changed = true;
            }
        }
    }
    if (changed) {
        puts("NO");
        return 0;
    }
    for (int i = 1; i <= n; i++) printf("%d%c", x[i], i == n ? '\n' : ' ');
}
