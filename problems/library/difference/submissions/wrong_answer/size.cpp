// Takes away the size of the second number, without its sign.
#include <cstdlib>
#include <iostream>

int main() {
    long long a, b;
    std::cin >> a >> b;
    std::cout << a - std::llabs(b) << '\n';
}
