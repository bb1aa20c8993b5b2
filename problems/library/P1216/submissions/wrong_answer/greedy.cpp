// Goes to the larger number each time.
#include <iostream>
#include <vector>

int main() {
    int r, place = 0, sum = 0;
    std::cin >> r;
    std::vector<std::vector<int>> a(r);
    for (int row = 0; row < r; ++row) {
        a[row].resize(row + 1);
        for (int &x : a[row]) std::cin >> x;
    }
    for (int row = 0; row < r; ++row) {
        if (row > 0 && a[row][place + 1] > a[row][place]) ++place;
        sum += a[row][place];
    }
    std::cout << sum << '\n';
}
