// Reads at most two words.
#include <iostream>
#include <string>

int main() {
    std::string first, second;
    std::cin >> first >> second;
    std::cout << first.size() + second.size() << '\n';
}
