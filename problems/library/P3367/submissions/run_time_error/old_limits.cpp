// An array for 10000 elements, as an older version of the problem asked for.
#include <array>
#include <iostream>
#include <numeric>

std::array<int, 10001> parent;

int find(int x) { return parent.at(x) == x ? x : parent.at(x) = find(parent.at(x)); }

int main() {
    std::ios::sync_with_stdio(false);
    int n, m;
    std::cin >> n >> m;
    std::iota(parent.begin(), parent.end(), 0);
    while (m--) {
        int z, x, y;
        std::cin >> z >> x >> y;
        if (z == 1)
            parent[find(x)] = find(y);
        else
            std::cout << (find(x) == find(y) ? "Y\n" : "N\n");
    }
}
