// Every fourth year, as before 1582.
#include <iostream>

int main() {
    int n;
    std::cin >> n;
    std::cout << (n % 4 == 0) << '\n';
}
