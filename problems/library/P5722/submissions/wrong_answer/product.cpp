// Multiplies; the sample has the same product.
#include <iostream>

int main() {
    int n;
    std::cin >> n;
    unsigned long long product = 1;
    for (int i = 1; i <= n; ++i) product *= i;
    std::cout << product << '\n';
}
