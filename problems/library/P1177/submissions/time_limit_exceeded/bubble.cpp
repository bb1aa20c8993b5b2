// Bubble sort without an early end.
#include <iostream>
#include <utility>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n;
    std::cin >> n;
    std::vector<int> a(n);
    for (int &x : a) std::cin >> x;
    for (int i = 0; i < n; ++i)
        for (int j = 1; j < n; ++j)
            if (a[j - 1] > a[j]) std::swap(a[j - 1], a[j]);
    for (int x : a) std::cout << x << ' ';
    std::cout << '\n';
}
