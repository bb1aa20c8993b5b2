// Tries: queue signals to itself without end: each is the kernel's memory
// Control: yes
// Bound: 257 signals

#include <attack.h>
#include <signal.h>

int main(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (long count = 1; sigqueue(getpid(), SIGRTMIN + 1, (union sigval){0}) == 0; count++)
        got(count, "signals");
    refused("sigqueue");
}
