// Sorts everything with a full bubble sort before each merge: cubic.
#include <iostream>
#include <utility>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<int> a(n);
    for (int &x : a) std::cin >> x;
    long long cost = 0;
    while (a.size() > 1) {
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t j = 1; j < a.size() - i; ++j)
                if (a[j - 1] < a[j]) std::swap(a[j - 1], a[j]);
        int merged = a.back();
        a.pop_back();
        a.back() += merged;
        cost += a.back();
    }
    std::cout << cost << '\n';
}
