// Starts from x_1 = 0 instead of from all: what that does not reach stays at infinity.
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
    const int far = 0x3f3f3f3f;
    vector<int> x(n + 1, far);
    x[1] = 0;
    bool changed = true;
    for (int round = 0; round < n && changed; round++) {
        changed = false;
        for (auto &e : edges) {
            if (x[e.from] < far && x[e.from] + e.length < x[e.to]) {
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
