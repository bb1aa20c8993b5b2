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
    std::cin.tie(nullptr);
    int n, m;
    std::cin >> n >> m;
    parent.resize(n + 1);
    std::iota(parent.begin(), parent.end(), 0);
    while (m--) {
        int z, x, y;
        std::cin >> z >> x >> y;
        x = find(x);
        y = find(y);
        if (z == 1)
            parent[x] = y;
        else
            std::cout << (x == y ? "Y\n" : "N\n");
    }
}
