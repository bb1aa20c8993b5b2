// Room for the 5000 given edges, but none for the n edges from an extra vertex. Checked access throws.
#include <array>
#include <iostream>
#include <queue>
using namespace std;

const int N = 5005;
array<int, N> head, next_edge, to, length_of, x, entries;
array<bool, N> queued;
int total;

void connect(int u, int v, int y) {
    next_edge.at(++total) = head.at(u);
    to.at(total) = v;
    length_of.at(total) = y;
    head.at(u) = total;
}

int main() {
    int n, m;
    cin >> n >> m;
    while (m--) {
        int c, other, y;
        cin >> c >> other >> y;
        connect(other, c, y);
    }
    for (int i = 1; i <= n; i++) connect(0, i, 0);
    x.fill(1);
    x[0] = 0;
    queue<int> queue;
    queue.push(0);
    while (!queue.empty()) {
        int u = queue.front();
        queue.pop();
        queued[u] = false;
        for (int e = head[u]; e; e = next_edge[e]) {
            int v = to[e];
            if (x[u] + length_of[e] >= x[v]) continue;
            x[v] = x[u] + length_of[e];
            if (queued[v]) continue;
            queued[v] = true;
            queue.push(v);
            if (++entries[v] > n) {
                cout << "NO" << endl;
                return 0;
            }
        }
    }
    for (int i = 1; i <= n; i++) cout << x[i] << ' ';
    cout << endl;
}
