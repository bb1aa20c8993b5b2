#include <iostream>

int main() {
    int n;
    std::cin >> n;
    int reversed = 0;
    for (; n != 0; n /= 10) reversed = 10 * reversed + n % 10;
    std::cout << reversed << '\n';
}
