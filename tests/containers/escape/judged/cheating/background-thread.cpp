// Tries: to answer from a detached thread after main has returned, and from destructors and atexit beyond the output
// Control: no, a thread cannot outlive its process anywhere
// Problem: sum
// Verdict: WA
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

int main()
{
    static long long a, b;
    if (std::scanf("%lld%lld", &a, &b) != 2)
        return 1;
    std::thread([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        std::printf("%lld\n", a + b);
        std::fflush(stdout);
    }).detach();
    std::atexit([] { _exit(0); });
    return 0;
}
