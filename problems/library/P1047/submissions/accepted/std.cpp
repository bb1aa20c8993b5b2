#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int l, m;
    std::cin >> l >> m;
    std::vector<bool> tree(l + 1, true);
    while (m--) {
        int u, v;
        std::cin >> u >> v;
        std::fill(tree.begin() + u, tree.begin() + v + 1, false);
    }
    std::cout << std::count(tree.begin(), tree.end(), true) << '\n';
}
