#include <iostream>
#include <vector>

int main() {
    std::vector<int> numbers;
    for (int x; std::cin >> x && x != 0;) numbers.push_back(x);
    for (auto x = numbers.rbegin(); x != numbers.rend(); ++x) std::cout << *x << ' ';
    std::cout << '\n';
}
