// Relaxes all edges until nothing changes.
#include <cstdio>
#include <vector>
using namespace std;

struct Edge {
    int u, v, w;
};

int main() {
    int n, m, s;
    scanf("%d %d %d", &n, &m, &s);
    vector<Edge> edges(m);
    for (auto &e : edges) scanf("%d %d %d", &e.u, &e.v, &e.w);
    vector<int> distance(n + 1, 0x3f3f3f3f);
    distance[s] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto &e : edges) {
            if (distance[e.u] + e.w < distance[e.v]) {
                distance[e.v] = distance[e.u] + e.w;
                changed = true;
            }
        }
    }
    for (int i = 1; i <= n; i++) printf("%d ", distance[i]);
}
