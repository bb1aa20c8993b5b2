// Links x itself instead of the root of its set, and so tears x out of its set.
#include <iostream>
#include <numeric>
#include <vector>

std::vector<int> parent;

int find(int x) {
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

int main() {
    std::ios::sync_with_stdio(false);
    int n, m;
    std::cin >> n >> m;
    parent.resize(n + 1);
    std::iota(parent.begin(), parent.end(), 0);
    while (m--) {
        int z, x, y;
        std::cin >> z >> x >> y;
        if (z == 1) {
            if (find(x) != find(y)) parent[x] = find(y);
        } else {
            std::cout << (find(x) == find(y) ? "Y\n" : "N\n");
        }
    }
}
