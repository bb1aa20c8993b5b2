// A set holds equal numbers once.
#include <iostream>
#include <set>

int main() {
    std::ios::sync_with_stdio(false);
    int n, x;
    std::cin >> n;
    std::set<int> sorted;
    while (std::cin >> x) sorted.insert(x);
    for (int y : sorted) std::cout << y << ' ';
    std::cout << '\n';
}
