// Tries: to use up the judge's patience without any CPU time
// Control: no, a plain judge has a time-out too
// Problem: sum
// Verdict: TLE
#define _GNU_SOURCE
#include <unistd.h>

int main(void)
{
    for (;;)
        pause();
}
