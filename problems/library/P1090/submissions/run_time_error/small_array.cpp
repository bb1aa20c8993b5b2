// An array for 1000 heaps, not 10000.
#include <algorithm>
#include <array>
#include <functional>
#include <iostream>

std::array<long long, 1000> a;

int main() {
    int n;
    std::cin >> n;
    for (int i = 0; i < n; ++i) std::cin >> a.at(i);
    std::make_heap(a.begin(), a.begin() + n, std::greater<>());
    long long cost = 0;
    for (; n > 1; --n) {
        std::pop_heap(a.begin(), a.begin() + n, std::greater<>());
        std::pop_heap(a.begin(), a.begin() + n - 1, std::greater<>());
        a[n - 2] += a[n - 1];
        cost += a[n - 2];
        std::push_heap(a.begin(), a.begin() + n - 1, std::greater<>());
    }
    std::cout << cost << '\n';
}
