// Tries: to hide its CPU time by executing itself again and again
// Control: no, a plain judge bears it
// Problem: sum
// Verdict: TLE WA
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    (void)argc;
    for (volatile int i = 0; i < 3000000; i++)
        continue;
    execv("/proc/self/exe", argv);
    return 0;
}
