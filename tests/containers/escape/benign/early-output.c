// Shows: prints and flushes before it reads, ends by exit in a function, by atexit, on_exit and quick_exit
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

static long long a, b;

static void last(void) { printf("%lld\n", a + b); }

int main(void)
{
    fflush(stdout);
    setvbuf(stdout, NULL, _IONBF, 0);
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    atexit(last);
    exit(0);
}
