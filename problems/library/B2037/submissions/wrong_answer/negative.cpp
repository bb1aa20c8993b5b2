// The remainder of a negative odd number is -1.
#include <iostream>

int main() {
    int n;
    std::cin >> n;
    std::cout << (n % 2 == 1 ? "odd" : "even") << '\n';
}
