// Counts trees in two sections twice.
#include <iostream>

int main() {
    int l, m;
    std::cin >> l >> m;
    int left = l + 1;
    while (m--) {
        int u, v;
        std::cin >> u >> v;
        left -= v - u + 1;
    }
    std::cout << left << '\n';
}
