// Too many guesses.
#include <iostream>

int main() {
    int n;
    std::cin >> n;
    for (int guess = 1; guess <= n; guess++) {
        std::cout << "? " << guess << std::endl;
        char answer;
        if (!(std::cin >> answer))
            return 0;
        if (answer == '=') {
            std::cout << "! " << guess << std::endl;
            return 0;
        }
    }
}
