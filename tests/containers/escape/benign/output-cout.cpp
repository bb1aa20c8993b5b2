// Shows: 20 MB of output by std::cout
// Problem: flood
#include <iostream>

int main()
{
    int n;
    std::cin >> n;
    for (int i = 0; i < n; i++)
        std::cout << i * 3 << '\n';
}
