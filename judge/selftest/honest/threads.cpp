// Shows: threads, exceptions, a deep recursion, clocks, files of its own
#include <chrono>
#include <fstream>
#include <future>
#include <iostream>
#include <stdexcept>

static long long down(long long value, int depth)
{
    volatile long long kept = value;
    return depth == 0 ? value : down(value, depth - 1) + kept - value;
}

int main()
{
    long long a, b, kept = 0;
    std::cin >> a >> b;
    // First: where Landlock is refused, nothing is opened beside a second thread.
    std::ofstream("first") << a;
    std::ifstream("first") >> kept;
    auto sum = std::async(std::launch::async, [=] { return kept + b; });
    kept = down(sum.get(), 100000);
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &) {
        kept += std::chrono::steady_clock::now().time_since_epoch().count() > 0 ? 0 : 1;
    }
    std::cout << kept << '\n';
}
