// Tries: makes sockets where a filter might not reach: in new threads, in signal handlers, after exec of itself
// Control: yes
#include "attack.h"
#include <csignal>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

static void tried(const char *where)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    fd < 0 ? refused(where) : escaped("a socket %s", where);
}

int main(int count, char **)
{
    if (count > 1) {
        tried("after exec");
        return 0;
    }
    tried("at once");
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back([] { tried("in a thread"); });
    for (auto &thread : threads)
        thread.join();
    std::signal(SIGUSR1, [](int) { tried("in a signal handler"); });
    std::raise(SIGUSR1);
    char *const again[] = {const_cast<char *>("attack"), const_cast<char *>("again"), nullptr};
    execv("/proc/self/exe", again);
    refused("exec of itself");
}
