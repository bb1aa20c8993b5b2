// Tries: to look as if it had been stopped for its time
// Control: yes
// Problem: sum
// Verdict: RE
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

int main(void)
{
    fputs("judge: the sandbox failed, infrastructure error, please retry\n", stderr);
    raise(SIGXCPU);
    return 0;
}
