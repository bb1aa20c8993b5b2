// Multiplies in 32 bits.
#include <cstdint>
#include <iostream>

int main() {
    std::uint32_t a, b;
    std::cin >> a >> b;
    std::cout << static_cast<std::int32_t>(a * b) << '\n';
}
