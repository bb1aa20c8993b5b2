// Tries every path.
#include <algorithm>
#include <iostream>
#include <vector>

std::vector<std::vector<int>> a;

int best(std::size_t row, int i) {
    if (row == a.size()) return 0;
    return a[row][i] + std::max(best(row + 1, i), best(row + 1, i + 1));
}

int main() {
    int r;
    std::cin >> r;
    a.resize(r);
    for (int row = 0; row < r; ++row) {
        a[row].resize(row + 1);
        for (int &x : a[row]) std::cin >> x;
    }
    std::cout << best(0, 0) << '\n';
}
