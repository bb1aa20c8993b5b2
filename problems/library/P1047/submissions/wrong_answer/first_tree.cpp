// There is a tree at 0, too.
#include <iostream>
#include <vector>

int main() {
    int l, m, count = 0;
    std::cin >> l >> m;
    std::vector<bool> gone(l + 1);
    while (m--) {
        int u, v;
        std::cin >> u >> v;
        for (int i = u; i <= v; ++i) gone[i] = true;
    }
    for (int i = 1; i <= l; ++i) count += !gone[i];
    std::cout << count << '\n';
}
