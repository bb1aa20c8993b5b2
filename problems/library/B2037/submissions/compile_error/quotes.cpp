// Words in the quotes of characters.
#include <iostream>
#include <string>

int main() {
    int n;
    std::cin >> n;
    std::string word = n % 2 ? 'odd' : 'even';
    std::cout << word << '\n';
}
