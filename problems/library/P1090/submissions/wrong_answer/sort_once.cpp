// Sorts once and adds the heaps one by one to a growing heap.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<long long> a(n);
    for (auto &x : a) std::cin >> x;
    std::sort(a.begin(), a.end());
    long long cost = 0;
    for (int i = 1; i < n; ++i) {
        a[i] += a[i - 1];
        cost += a[i];
    }
    std::cout << cost << '\n';
}
