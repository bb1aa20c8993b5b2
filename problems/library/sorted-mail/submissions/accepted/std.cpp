#include <iostream>
// Card i holds the i-th pair of digits, and its place: 100 i + pair.
int main()
{
    std::string role;
    int t;
    std::cin >> role >> t;
    while (t--) {
        unsigned long long x = 0, power = 1, card;
        if (role == "send") {
            std::cin >> x;
            std::cout << 10;
            for (int i = 0; i < 10; i++, x /= 100)
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
