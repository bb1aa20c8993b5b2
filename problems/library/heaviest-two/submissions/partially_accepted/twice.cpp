// Finds the heaviest, and then the heaviest of the others: up to 2n - 3 comparisons.
#include <iostream>

int heavier(int a, int b) {
    std::cout << "? " << a << " " << b << std::endl;
    int winner;
    std::cin >> winner;
    return winner;
}

int main() {
    int n;
    std::cin >> n;
    int first = 1;
    for (int i = 2; i <= n; i++)
        first = heavier(first, i);
    int second = first == 1 ? 2 : 1;
    for (int i = second + 1; i <= n; i++)
        if (i != first)
            second = heavier(second, i);
    std::cout << "! " << first << " " << second << std::endl;
}
