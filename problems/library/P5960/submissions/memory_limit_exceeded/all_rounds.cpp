// Keeps the paths of each number of edges, with the vertex before the last: 600 MB for 5000 unknowns.
#include <cstdio>
#include <vector>
using namespace std;

struct Path {
    long long length, edges, before;
};

struct Edge {
    int from, to, length;
};

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    vector<Edge> edges(m);
    for (auto &e : edges) scanf("%d %d %d", &e.to, &e.from, &e.length);
    vector<vector<Path>> rounds(1, vector<Path>(n + 1));
    for (int round = 1; round <= n; round++) {
        rounds.push_back(rounds.back());
        auto &last = rounds[round - 1], &now = rounds[round];
        for (auto &e : edges) {
            if (last[e.from].length + e.length < now[e.to].length) now[e.to] = {last[e.from].length + e.length, round, e.from};
        }
    }
    for (int i = 1; i <= n; i++) {
        if (rounds[n][i].edges == n) {
            puts("NO");
            return 0;
        }
    }
    for (int i = 1; i <= n; i++) printf("%lld ", rounds[n][i].length);
}
