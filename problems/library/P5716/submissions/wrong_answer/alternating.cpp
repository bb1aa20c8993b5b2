// Knows that August is long, but not that the turns go on from there.
#include <iostream>

int main() {
    int year, month;
    std::cin >> year >> month;
    if (month == 2) std::cout << (year % 4 == 0 ? 29 : 28) << '\n';
    else std::cout << (month % 2 == 1 || month == 8 ? 31 : 30) << '\n';
}
