#include <iostream>

int main() {
    int n, p = 2;
    std::cin >> n;
    while (n % p != 0) ++p;
    std::cout << n / p << '\n';
}
