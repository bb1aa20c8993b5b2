// Shows: #pragma GCC optimize and target, where the processor has it
#pragma GCC optimize("O3,unroll-loops")
#if defined(__x86_64__)
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif
#include <bits/stdc++.h>

static int numbers[1 << 16];

int main()
{
    long long a, b, sum = 0;
    std::cin >> a >> b;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) {
        std::cout << a + b << '\n';
        return 0;
    }
#endif
    for (int i = 0; i < 1 << 16; i++)
        numbers[i] = i;
    for (int number : numbers)
        sum += __builtin_popcount(number);
    std::cout << a + b + sum - 8 * (1 << 16) << '\n';
}
