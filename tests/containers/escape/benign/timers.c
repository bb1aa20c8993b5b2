// Shows: alarm, setitimer, timer_create, timerfd
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t rang;

static void ring(int number) { rang += number == SIGALRM; }

int main(void)
{
    long long a, b;
    uint64_t times;
    timer_t timer;
    struct itimerspec soon = {.it_value = {0, 1000000}};
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    signal(SIGALRM, ring);
    alarm(5);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 1000}}, NULL);
    while (rang < 1)
        pause();
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0 || timer_settime(timer, 0, &soon, NULL) != 0)
        return 2;
    while (rang < 2)
        usleep(1000);
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    if (timerfd_settime(fd, 0, &soon, NULL) != 0 || read(fd, &times, sizeof times) != sizeof times)
        return 3;
    printf("%lld\n", a + b);
    return 0;
}
