// The smaller prime, unless it is 3.
#include <iostream>

int main() {
    int n, p = 2;
    std::cin >> n;
    while (n % p != 0) ++p;
    std::cout << (p == 3 ? n / p : p) << '\n';
}
