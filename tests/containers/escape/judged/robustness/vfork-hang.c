// Tries: to hang for ever as the parent of a vfork whose child waits
// Control: no, a plain judge kills it at its time-out
// Problem: sum
// Verdict: WA TLE
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    pid_t child = vfork();
    if (child == 0)
        for (;;)
            pause();
    puts(child > 0 ? "ESCAPED it has a child" : "0");
    return 0;
}
