#include <iostream>
#include <string>

int main() {
    std::size_t characters = 0;
    for (std::string word; std::cin >> word;) characters += word.size();
    std::cout << characters << '\n';
}
