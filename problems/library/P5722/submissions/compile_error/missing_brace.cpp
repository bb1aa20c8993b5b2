// The last brace is missing.
#include <iostream>

int main() {
    int n, sum = 0;
    std::cin >> n;
    for (int i = 1; i <= n; ++i) sum += i;
    std::cout << sum << '\n';
