// Always the second one.
#include <iostream>

int main() {
    int a, b;
    std::cin >> a >> b;
    std::cout << b << '\n';
}
