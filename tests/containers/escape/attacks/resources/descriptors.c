// Tries: open more descriptors than a run may have, of every kind that can be had
// Control: yes
// Bound: 64 descriptors

#include <attack.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>

int main(void)
{
    struct rlimit more = {4096, 4096};
    long count = 3;
    setrlimit(RLIMIT_NOFILE, &more);
    for (int i = 0, fd = 0; fd >= 0 && i < 400; i++) {
        switch (i % 5) {
        case 0: fd = dup(1); break;
        case 1: fd = eventfd(0, 0); break;
        case 2: fd = epoll_create1(0); break;
        case 3: fd = timerfd_create(CLOCK_MONOTONIC, 0); break;
        default: fd = open("/dev/null", O_RDONLY); break;
        }
        if (fd >= 0)
            got(++count, "descriptors");
    }
    refused("a descriptor");
    TRY(dup2(1, 5000) < 0 ? -1 : 0);
}
