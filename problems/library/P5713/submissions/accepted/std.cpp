#include <iostream>

int main() {
    int n;
    std::cin >> n;
    std::cout << (5 * n < 11 + 3 * n ? "Local" : "Luogu") << '\n';
}
