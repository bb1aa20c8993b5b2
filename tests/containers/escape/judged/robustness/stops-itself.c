// Tries: to stay stopped for ever, unkillable by what only asks
// Control: no, a plain judge kills it at its time-out
// Problem: sum
// Verdict: TLE
#define _GNU_SOURCE
#include <signal.h>

int main(void)
{
    for (;;)
        raise(SIGSTOP);
}
