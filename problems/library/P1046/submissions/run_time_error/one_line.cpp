// Takes the reach from the end of the first line, where it is not.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
    std::string line;
    std::getline(std::cin, line);
    std::istringstream words(line);
    std::vector<int> number;
    for (int x; words >> x;) number.push_back(x);
    int reach = number.at(10) + 30, count = 0;
    for (int i = 0; i < 10; ++i) count += number.at(i) <= reach;
    std::cout << count << '\n';
}
