#include <algorithm>
#include <iostream>

int main() {
    int n, least;
    std::cin >> n >> least;
    for (int i = 1, x; i < n; ++i) {
        std::cin >> x;
        least = std::min(least, x);
    }
    std::cout << least << '\n';
}
