#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
long depth(long n) { volatile long m = n; return m ? 1 + depth(m - 1) : 0; }
int main() {
    std::string what;
    long n;
    std::cin >> what >> n;
    if (what == "memory") {
        std::vector<std::vector<char>> parts;
        for (long i = 0; i < n; i++) parts.emplace_back(1 << 20, 'x');
        n = parts.size();
    } else if (what == "depth") {
        n = depth(n);
    } else {
        throw std::runtime_error(what);
    }
    std::cout << "done " << n << '\n';
}
