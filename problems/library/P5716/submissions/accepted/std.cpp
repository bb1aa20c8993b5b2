#include <iostream>

int main() {
    int year, month;
    std::cin >> year >> month;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    std::cout << days[month - 1] << '\n';
}
