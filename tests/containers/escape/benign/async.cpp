// Shows: std::async, future, promise, packaged_task, call_once, parallel atomics
#include <atomic>
#include <future>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

int main()
{
    long long a, b;
    std::cin >> a >> b;
    auto first = std::async(std::launch::async, [a] { return a; });
    std::packaged_task<long long()> task([b] { return b; });
    auto second = task.get_future();
    std::thread worker(std::move(task));
    std::atomic<int> count{0};
    std::once_flag once;
    std::vector<std::future<void>> futures;
    for (int i = 0; i < 16; i++)
        futures.push_back(std::async(std::launch::async, [&] { std::call_once(once, [&] { count++; }); }));
    for (auto &future : futures)
        future.get();
    worker.join();
    std::cout << first.get() + second.get() + count - 1 << '\n';
}
