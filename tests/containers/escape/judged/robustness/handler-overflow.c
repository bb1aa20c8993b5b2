// Tries: to overflow its stack in the handler of the overflow
// Control: no, a plain judge bears it
// Problem: sum
// Verdict: RE MLE TLE
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>

static volatile int depth;

static void handler(int number)
{
    depth++;
    raise(number);
    *(volatile int *)0 = number;
}

int main(void)
{
    stack_t other = {.ss_sp = malloc(SIGSTKSZ), .ss_size = SIGSTKSZ};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigaltstack(&other, NULL);
    for (int number = 1; number < 65; number++)
        sigaction(number, &action, NULL);
    raise(SIGSEGV);
    return 0;
}
