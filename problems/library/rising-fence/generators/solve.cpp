// Prints the answers of generated tests: it reads its standard input, as no submission does.
#include <algorithm>
#include <iostream>

int main() {
    int n;
    std::cin >> n;
    long long added = 0, most = 0, h;
    while (std::cin >> h) {
        most = std::max(most, h);
        added += most - h;
    }
    std::cout << added << "\n";
}
