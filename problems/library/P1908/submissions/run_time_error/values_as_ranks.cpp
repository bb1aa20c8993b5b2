// A Fenwick tree of n entries, indexed with the numbers themselves.
#include <iostream>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, x;
    std::cin >> n;
    std::vector<int> tree(n + 1);
    long long count = 0;
    for (int i = 0; i < n; ++i) {
        std::cin >> x;
        count += i;
        for (int k = x; k > 0; k -= k & -k) count -= tree.at(k);
        for (int k = x; k <= n; k += k & -k) ++tree.at(k);
    }
    std::cout << count << '\n';
}
