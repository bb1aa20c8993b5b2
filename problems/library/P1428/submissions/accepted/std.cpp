#include <iostream>

int main() {
    int n, cute[100];
    std::cin >> n;
    for (int i = 0; i < n; ++i) {
        std::cin >> cute[i];
        int less = 0;
        for (int j = 0; j < i; ++j) less += cute[j] < cute[i];
        std::cout << less << ' ';
    }
    std::cout << '\n';
}
