// Tries: start threads with std::thread and std::async until none can be had, each of which waits
// Control: yes
// Limits: threads=32
// Bound: 32 threads

#include <attack.h>
#include <future>
#include <list>
#include <system_error>
#include <thread>

int main()
{
    std::promise<void> end;
    std::shared_future<void> ended = end.get_future().share();
    std::list<std::thread> threads;
    std::list<std::future<void>> tasks;
    long count = 1;
    try {
        for (;; count++) {
            if (count % 2)
                threads.emplace_back([ended] { ended.wait(); });
            else
                tasks.push_back(std::async(std::launch::async, [ended] { ended.wait(); }));
            got(count + 1, "threads");
        }
    } catch (const std::system_error &error) {
        held("std::thread: %s", error.what());
    }
    end.set_value();
    for (std::thread &thread : threads)
        thread.join();
}
