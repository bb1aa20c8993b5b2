// Tries: never to end: exits into a handler that does not return
// Control: no, a plain judge kills it at its time-out
// Problem: sum
// Verdict: TLE
#include <stdlib.h>

static void never(void)
{
    for (;;)
        continue;
}

int main(void)
{
    atexit(never);
    return 0;
}
