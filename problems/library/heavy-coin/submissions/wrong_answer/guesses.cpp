// Hopes that the coin is not the one that it did not weigh.
#include <iostream>
#include <string>

int main() {
    int n, q;
    std::cin >> n >> q;
    std::string answer;
    for (int i = 1; i + 1 <= n && q > 0; i += 2, q--) {
        std::cout << "? 1 " << i << " " << i + 1 << std::endl;
        std::cin >> answer;
        if (answer != "same") {
            std::cout << "! " << (answer == "left" ? i : i + 1) << std::endl;
            return 0;
        }
    }
    std::cout << "! " << n << std::endl;
}
