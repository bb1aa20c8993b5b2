// Sorts instead of reversing.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    std::vector<int> numbers;
    for (int x; std::cin >> x && x != 0;) numbers.push_back(x);
    std::sort(numbers.rbegin(), numbers.rend());
    for (int x : numbers) std::cout << x << ' ';
    std::cout << '\n';
}
