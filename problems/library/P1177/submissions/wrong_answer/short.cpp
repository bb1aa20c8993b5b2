// Keeps 16 bits of each number.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, x;
    std::cin >> n;
    std::vector<unsigned short> a;
    while (std::cin >> x) a.push_back(static_cast<unsigned short>(x));
    std::sort(a.begin(), a.end());
    for (auto y : a) std::cout << y << ' ';
    std::cout << '\n';
}
