// Forgets that the site's problems take time, too, and gives the own computer's three minutes.
#include <iostream>

int main() {
    int n;
    std::cin >> n;
    std::cout << (3 * n <= 11 ? "Local" : "Luogu") << '\n';
}
