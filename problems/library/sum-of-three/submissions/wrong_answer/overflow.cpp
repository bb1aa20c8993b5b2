// Adds in 32 bits.
#include <cstdint>
#include <iostream>

int main() {
    std::int32_t a, b, c;
    std::cin >> a >> b >> c;
    std::cout << static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + b + c) << '\n';
}
