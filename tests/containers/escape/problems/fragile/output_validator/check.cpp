// Believes what it reads: a count, then so many numbers. It is how many checkers are written.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

static long depth(std::istream &in, long open)
{
    char mark;
    volatile char frame[4096];
    frame[0] = 0;
    return in >> mark && mark == '(' ? depth(in, open + 1) + frame[0] : open;
}

int main(int, char **argv)
{
    std::ifstream input(argv[1]);
    long n, first;
    input >> n;
    if (std::cin.peek() == '(')
        return depth(std::cin, 0) == n ? 42 : 43;
    if (!(std::cin >> first))
        return 43;
    if (first > n) { // a count before the numbers
        std::vector<long> numbers(first, 1);
        long sum = 0;
        for (unsigned long round = 0; round < numbers.size(); round++)
            for (long number : numbers)
                sum += number;
        return sum == 0 ? 42 : 43;
    }
    std::vector<long> numbers{first};
    for (long value; std::cin >> value;)
        numbers.push_back(value);
    std::ofstream message(std::string(argv[3]) + "judgemessage.txt");
    std::string rest;
    std::cin.clear();
    std::getline(std::cin, rest, '\0');
    message << "after " << numbers.size() << " numbers: " << rest;
    for (long at = 1; at <= n; at++)
        if (numbers.at(at - 1) == at)
            return 43;
    return numbers.size() == static_cast<unsigned long>(n) ? 42 : 43;
}
