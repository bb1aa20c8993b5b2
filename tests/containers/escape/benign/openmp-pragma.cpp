// Shows: #pragma omp, which is ignored
#include <iostream>

int main()
{
    long long a, b, steps = 0;
    std::cin >> a >> b;
#pragma omp parallel for reduction(+ : steps)
    for (int i = 0; i < 1000; i++)
        steps++;
    std::cout << a + b + steps - 1000 << '\n';
}
