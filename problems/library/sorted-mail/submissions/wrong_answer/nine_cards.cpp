#include <iostream>
// Nine pairs of digits: 10^18 itself has nineteen digits.
int main()
{
    std::string role;
    int t;
    std::cin >> role >> t;
    while (t--) {
        unsigned long long x = 0, power = 1, card;
        if (role == "send") {
            std::cin >> x;
            std::cout << 9;
            for (int i = 0; i < 9; i++, x /= 100)
                std::cout << ' ' << 100 * i + x % 100;
            std::cout << '\n';
        } else {
            int k;
            std::cin >> k;
            for (int i = 0; i < k; i++, power *= 100) {
                std::cin >> card;
                x += card % 100 * power;
            }
            std::cout << x << '\n';
        }
    }
}
