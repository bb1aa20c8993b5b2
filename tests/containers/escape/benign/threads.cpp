// Shows: std::thread, mutex, condition variable, thread_local, shared_mutex
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

std::mutex lock;
std::shared_mutex shared;
std::condition_variable ready;
thread_local int own = 0;

int main()
{
    long long a, b, sum = 0;
    int waiting = 0;
    bool go = false;
    std::cin >> a >> b;
    std::vector<std::thread> threads;
    for (int i = 0; i < 32; i++)
        threads.emplace_back([&, i] {
            std::unique_lock held(lock);
            own = i;
            waiting++;
            ready.notify_all();
            ready.wait(held, [&] { return go; });
            std::shared_lock reading(shared);
            sum += own == 0 ? a : own == 31 ? b : 0;
        });
    {
        std::unique_lock held(lock);
        ready.wait(held, [&] { return waiting == 32; });
        go = true;
    }
    ready.notify_all();
    for (auto &thread : threads)
        thread.join();
    std::cout << sum << '\n';
}
