// Shows: clocks: chrono, clock_gettime, gettimeofday, clock, time, times, localtime
#include <chrono>
#include <ctime>
#include <iostream>
#include <sys/time.h>
#include <sys/times.h>

int main()
{
    long long a, b;
    std::cin >> a >> b;
    auto began = std::chrono::steady_clock::now();
    timespec at{};
    timeval now{};
    tms used{};
    bool well = std::time(nullptr) > 1'600'000'000 && gettimeofday(&now, nullptr) == 0 && times(&used) != -1;
    for (clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
                            CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_REALTIME_COARSE})
        well = well && clock_gettime(clock, &at) == 0 && clock_getres(clock, &at) == 0;
    std::time_t seconds = now.tv_sec;
    well = well && std::localtime(&seconds) != nullptr && std::clock() >= 0;
    while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(2))
        continue;
    std::cout << (well ? a + b : 0) << '\n';
}
