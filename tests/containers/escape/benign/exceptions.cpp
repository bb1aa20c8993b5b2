// Shows: exceptions: many, nested, across threads, of bad_alloc that is caught, RTTI
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

int main()
{
    long long a, b, caught = 0;
    std::cin >> a >> b;
    for (int i = 0; i < 20000; i++) {
        try {
            try {
                throw std::runtime_error("inner");
            } catch (...) {
                std::throw_with_nested(std::logic_error("outer"));
            }
        } catch (const std::exception &) {
            caught++;
        }
    }
    try {
        std::async(std::launch::async, [] { throw 7; }).get();
    } catch (int) {
        caught++;
    }
    try {
        std::vector<char> much(std::size_t{1} << 60);
    } catch (const std::bad_alloc &) {
        caught++;
    }
    std::cout << a + b + caught - 20002 << '\n';
}
