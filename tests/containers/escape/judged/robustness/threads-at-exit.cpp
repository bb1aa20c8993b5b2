// Tries: to end in many threads at once, each by another way out
// Control: no, a plain judge bears it
// Problem: sum
// Verdict: WA RE
#include <atomic>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>

int main()
{
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    try {
        for (int i = 0; i < 60; i++)
            threads.emplace_back([&, i] {
                while (!go)
                    std::this_thread::yield();
                if (i % 3 == 0)
                    _exit(0);
                if (i % 3 == 1)
                    std::quick_exit(0);
                std::exit(0);
            });
    } catch (...) {
    }
    go = true;
    _exit(0);
}
