#include <iostream>

int main() {
    int apple[10], reach, count = 0;
    for (int &height : apple) std::cin >> height;
    std::cin >> reach;
    for (int height : apple) count += height <= reach + 30;
    std::cout << count << '\n';
}
