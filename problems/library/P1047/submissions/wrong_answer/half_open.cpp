// Leaves the tree at the right end of each section.
#include <iostream>
#include <vector>

int main() {
    int l, m, count = 0;
    std::cin >> l >> m;
    std::vector<bool> gone(l + 1);
    while (m--) {
        int u, v;
        std::cin >> u >> v;
        for (int i = u; i < v; ++i) gone[i] = true;
    }
    for (bool g : gone) count += !g;
    std::cout << count << '\n';
}
