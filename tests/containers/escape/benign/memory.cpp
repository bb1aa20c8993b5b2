// Shows: 200 MB of memory, all of it used
#include <iostream>
#include <vector>

int main()
{
    long long a, b, sum = 0;
    std::cin >> a >> b;
    std::vector<int> numbers(50'000'000, 1);
    for (int number : numbers)
        sum += number;
    std::cout << a + b + sum - 50'000'000 << '\n';
}
