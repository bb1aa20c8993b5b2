#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int r;
    std::cin >> r;
    std::vector<std::vector<int>> a(r);
    for (int row = 0; row < r; ++row) {
        a[row].resize(row + 1);
        for (int &x : a[row]) std::cin >> x;
    }
    for (int row = r - 2; row >= 0; --row)
        for (int i = 0; i <= row; ++i) a[row][i] += std::max(a[row + 1][i], a[row + 1][i + 1]);
    std::cout << a[0][0] << '\n';
}
