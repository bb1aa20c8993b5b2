// Reads no more than it must, and believes nothing.
#include <cctype>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

int main(int, char **argv)
{
    std::ifstream input(argv[1]);
    std::ofstream message(std::string(argv[3]) + "judgemessage.txt");
    long n, value;
    input >> n;
    std::vector<bool> seen(n + 1);
    auto wrong = [&](const std::string &why) {
        message << why;
        message.close();
        std::exit(43);
    };
    for (long at = 1; at <= n; at++) {
        std::string token;
        while (std::isspace(std::cin.peek()))
            std::cin.get();
        while (std::cin.peek() != EOF && !std::isspace(std::cin.peek()) && token.size() < 20)
            token += static_cast<char>(std::cin.get());
        if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos || token.size() > 9)
            wrong("no number: " + token);
        value = std::stol(token);
        if (value < 1 || value > n || value == at || seen[value])
            wrong("out of place: " + token);
        seen[value] = true;
    }
    std::string rest;
    if (std::cin >> rest)
        wrong("something follows: " + rest.substr(0, 40));
    return 42;
}
