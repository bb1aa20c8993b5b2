// Shows: select, poll, epoll and non-blocking reads, with its input and a pipe of its own
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

int main(void)
{
    long long a, b;
    int ends[2], epoll = epoll_create1(0), counter = eventfd(0, 0);
    struct pollfd polled = {.fd = 0, .events = POLLIN};
    struct epoll_event event = {.events = EPOLLIN}, got;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(0, &set);
    if (select(1, &set, NULL, NULL, &(struct timeval){1, 0}) != 1 || poll(&polled, 1, 1000) != 1 || pipe(ends) != 0)
        return 2;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) != 0 || write(ends[1], "x", 1) != 1)
        return 3;
    if (epoll_wait(epoll, &got, 1, 1000) != 1 || eventfd_write(counter, 1) != 0)
        return 4;
    fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    printf("%lld\n", a + b);
    return 0;
}
