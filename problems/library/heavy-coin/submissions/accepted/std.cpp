#include <iostream>
#include <string>

int main() {
    int n, q;
    std::cin >> n >> q;
    int first = 1, last = n;
    while (first < last) {
        int k = (last - first + 2) / 3;
        std::cout << "? " << k;
        for (int i = 0; i < 2 * k; i++)
            std::cout << " " << first + i;
        std::cout << std::endl;
        std::string answer;
        std::cin >> answer;
        if (answer == "left") {
            last = first + k - 1;
        } else if (answer == "right") {
            first += k;
            last = first + k - 1;
        } else {
            first += 2 * k;
        }
    }
    std::cout << "! " << first << std::endl;
}
