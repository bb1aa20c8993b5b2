// Tries: to drown itself in timer signals while it works
// Control: no, a plain judge bears it
// Problem: sum
// Verdict: AC TLE
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static void handler(int number) { (void)number; }

int main(void)
{
    long long a, b;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 1}, {0, 1}};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGVTALRM, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_VIRTUAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    for (volatile int i = 0; i < 10000000; i++)
        continue;
    printf("%lld\n", a + b);
    return 0;
}
