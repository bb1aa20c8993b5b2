// The set finds the place quickly, but std::distance walks there.
#include <iostream>
#include <iterator>
#include <set>

int main() {
    std::ios::sync_with_stdio(false);
    int n, x;
    std::cin >> n;
    std::multiset<int> seen;
    long long count = 0;
    while (std::cin >> x) {
        count += std::distance(seen.upper_bound(x), seen.end());
        seen.insert(x);
    }
    std::cout << count << '\n';
}
