// Starts with 0, which nothing positive beats.
#include <algorithm>
#include <iostream>

int main() {
    int n, least = 0;
    std::cin >> n;
    for (int i = 0, x; i < n; ++i) {
        std::cin >> x;
        least = std::min(least, x);
    }
    std::cout << least << '\n';
}
