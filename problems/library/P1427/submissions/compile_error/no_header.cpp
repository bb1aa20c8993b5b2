// Uses a vector, and includes none.
#include <iostream>

int main() {
    vector<int> numbers;
    for (int x; std::cin >> x && x != 0;) numbers.push_back(x);
    while (!numbers.empty()) {
        std::cout << numbers.back() << ' ';
        numbers.pop_back();
    }
}
