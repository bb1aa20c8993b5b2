// Takes for the count how many remain if each number stands at most twice.
#include <iostream>
#include <set>

int main() {
    int n, repeats = 0;
    std::cin >> n;
    std::set<int> numbers, again;
    for (int i = 0, x; i < n; ++i) {
        std::cin >> x;
        if (!numbers.insert(x).second) again.insert(x);
    }
    repeats = static_cast<int>(again.size());
    std::cout << n - repeats << '\n';
    for (int x : numbers) std::cout << x << ' ';
    std::cout << '\n';
}
