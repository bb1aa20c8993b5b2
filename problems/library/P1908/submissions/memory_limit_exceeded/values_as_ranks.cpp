// A Fenwick tree with an entry for every number up to 10^9.
#include <iostream>
#include <vector>

constexpr int TOP = 1'000'000'000;

int main() {
    std::ios::sync_with_stdio(false);
    int n, x;
    std::cin >> n;
    std::vector<int> tree(TOP + 1);
    long long count = 0;
    for (int i = 0; i < n; ++i) {
        std::cin >> x;
        count += i;
        for (int k = x; k > 0; k -= k & -k) count -= tree[k];
        for (int k = x; k <= TOP; k += k & -k) ++tree[k];
    }
    std::cout << count << '\n';
}
