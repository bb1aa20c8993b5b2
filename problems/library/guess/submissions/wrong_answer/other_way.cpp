// Takes "<" for "my guess is smaller".
#include <iostream>

int main() {
    int n;
    std::cin >> n;
    int low = 1, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        std::cout << "? " << middle << std::endl;
        char answer;
        std::cin >> answer;
        if (answer == '=')
            low = high = middle;
        else if (answer == '>')
            high = middle - 1;
        else
            low = middle + 1;
    }
    std::cout << "! " << low << std::endl;
}
