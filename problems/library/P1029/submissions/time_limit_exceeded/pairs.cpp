// Tries all pairs.
#include <iostream>
#include <numeric>

int main() {
    long long x, y;
    std::cin >> x >> y;
    int pairs = 0;
    for (long long p = x; p <= y; ++p)
        for (long long q = x; q <= y; ++q) pairs += p * q == x * y && std::gcd(p, q) == x;
    std::cout << pairs << '\n';
}
