// Shows: usleep, nanosleep, sleep_for, sleep_until, clock_nanosleep, sched_yield
#include <chrono>
#include <ctime>
#include <iostream>
#include <sched.h>
#include <thread>
#include <unistd.h>

int main()
{
    long long a, b;
    std::cin >> a >> b;
    timespec little{0, 1'000'000};
    usleep(1000);
    nanosleep(&little, nullptr);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &little, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(1));
    std::this_thread::yield();
    sched_yield();
    std::cout << a + b << '\n';
}
