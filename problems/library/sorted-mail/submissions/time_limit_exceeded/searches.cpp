#include <iostream>
// Looks for the number whose cards these are.
int main()
{
    std::string role;
    int t;
    std::cin >> role >> t;
    while (t--) {
        unsigned long long x, want = 0, power = 1, card;
        if (role == "send") {
            std::cin >> x;
            std::cout << 10;
            for (int i = 0; i < 10; i++, x /= 100)
                std::cout << ' ' << 100 * i + x % 100;
            std::cout << '\n';
            continue;
        }
        int k;
        std::cin >> k;
        for (int i = 0; i < k; i++, power *= 100) {
            std::cin >> card;
            want += card % 100 * power;
        }
        volatile unsigned long long at = 0;
        while (at != want)
            at = at + 1;
        std::cout << want << '\n';
    }
}
