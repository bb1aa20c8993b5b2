// Tries: to look like a sandbox that failed
// Control: yes
// Problem: sum
// Verdict: RE
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

int main(void)
{
    fputs("judge: the sandbox failed, infrastructure error, please retry\n", stderr);
    raise(SIGSYS);
    return 0;
}
