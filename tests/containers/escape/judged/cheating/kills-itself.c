// Tries: to look like a victim of the judge's own SIGKILL
// Control: yes
// Problem: sum
// Verdict: RE
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

int main(void)
{
    fputs("judge: the sandbox failed, infrastructure error, please retry\n", stderr);
    raise(SIGKILL);
    return 0;
}
