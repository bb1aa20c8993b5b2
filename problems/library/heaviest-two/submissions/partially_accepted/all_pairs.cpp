// Compares each with each: too often for more than 100 stones.
#include <iostream>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<int> won(n + 1);
    for (int a = 1; a <= n; a++)
        for (int b = a + 1; b <= n; b++) {
            std::cout << "? " << a << " " << b << std::endl;
            int winner;
            if (!(std::cin >> winner))
                return 0;
            won[winner]++;
        }
    int first = 0, second = 0;
    for (int i = 1; i <= n; i++) {
        if (won[i] == n - 1)
            first = i;
        if (won[i] == n - 2)
            second = i;
    }
    std::cout << "! " << first << " " << second << std::endl;
}
