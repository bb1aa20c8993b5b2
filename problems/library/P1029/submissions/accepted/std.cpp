#include <iostream>
#include <numeric>

int main() {
    long long x, y;
    std::cin >> x >> y;
    int pairs = 0;
    for (long long p = x; p <= y; p += x) {
        long long q = x * y / p;
        pairs += q * p == x * y && std::gcd(p, q) == x;
    }
    std::cout << pairs << '\n';
}
