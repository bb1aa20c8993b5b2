#include <iostream>
#include <set>

int main() {
    int n;
    std::cin >> n;
    std::set<int> numbers;
    for (int i = 0, x; i < n; ++i) {
        std::cin >> x;
        numbers.insert(x);
    }
    std::cout << numbers.size() << '\n';
    for (int x : numbers) std::cout << x << ' ';
    std::cout << '\n';
}
