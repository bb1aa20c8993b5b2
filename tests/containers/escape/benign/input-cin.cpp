// Shows: 50 MB of input by std::cin, synchronisation off
// Problem: column
#include <iostream>

int main()
{
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    long long value, sum = 0;
    while (std::cin >> value)
        sum += value;
    std::cout << sum << '\n';
}
