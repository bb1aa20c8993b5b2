#include <iostream>

int main() {
    int a, b;
    std::cin >> a >> b;
    std::cout << (10 * a + b) / 19 << '\n';
}
