// Counting sort with a table for numbers up to a million.
#include <iostream>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, x;
    std::cin >> n;
    std::vector<int> count(1'000'001);
    while (std::cin >> x) ++count.at(x);
    for (int y = 0; y <= 1'000'000; ++y)
        for (int k = 0; k < count[y]; ++k) std::cout << y << ' ';
    std::cout << '\n';
}
