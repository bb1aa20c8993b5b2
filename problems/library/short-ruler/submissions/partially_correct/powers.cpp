#include <iostream>
// 2^i - 1: all distances differ, and the ruler is far too long.
int main()
{
    int n;
    std::cin >> n;
    for (int i = 0; i < n; i++)
        std::cout << (1 << i) - 1 << (i + 1 < n ? ' ' : '\n');
}
