// Merges only neighbours, as if the heaps lay in a row: the cheapest pair each time.
#include <iostream>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<int> a(n);
    for (int &x : a) std::cin >> x;
    long long cost = 0;
    while (a.size() > 1) {
        std::size_t best = 1;
        for (std::size_t i = 2; i < a.size(); ++i)
            if (a[i - 1] + a[i] < a[best - 1] + a[best]) best = i;
        a[best - 1] += a[best];
        cost += a[best - 1];
        a.erase(a.begin() + best);
    }
    std::cout << cost << '\n';
}
