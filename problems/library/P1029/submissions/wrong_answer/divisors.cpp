// Takes all pairs of multiples of x with the right product: their greatest common divisor may be larger.
#include <iostream>

int main() {
    long long x, y;
    std::cin >> x >> y;
    int pairs = 0;
    for (long long p = x; p <= y; p += x) pairs += x * y % (p * x) == 0;
    std::cout << pairs << '\n';
}
