// Shows: a recursion of 10^6 frames
#include <iostream>

static long long down(long long value, int depth)
{
    volatile long long kept = value;
    return depth == 0 ? value : down(value, depth - 1) + kept - value;
}

int main()
{
    long long a, b;
    std::cin >> a >> b;
    std::cout << down(a + b, 1000000) << '\n';
}
