// Tries: timers and queued signals without end, which are the kernel's memory, and a storm of them
// Control: yes
// Limits: cpu=0.5s wall=3s
// Expect: exited cpu
// Bound: 257 timers
// Sentry: 2000 timers

#include <attack.h>
#include <signal.h>
#include <time.h>

int main(void)
{
    long count = 0;
    struct itimerspec often = {{0, 1000}, {0, 1000}};
    signal(SIGALRM, SIG_IGN);
    for (timer_t timer; count < 2000 && timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0; count++) {
        timer_settime(timer, 0, &often, NULL);
        got(count + 1, "timers");
    }
    refused("timer_create");
}
