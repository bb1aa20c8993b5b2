// Shows: getrusage, getrlimit, setrlimit of its stack, sysinfo, mallinfo
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

int main(void)
{
    long long a, b;
    struct rusage used;
    struct rlimit stack;
    struct sysinfo machine;
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    int well = getrusage(RUSAGE_SELF, &used) == 0 && getrusage(RUSAGE_THREAD, &used) == 0 && sysinfo(&machine) == 0;
    well = well && getrlimit(RLIMIT_STACK, &stack) == 0 && setrlimit(RLIMIT_STACK, &stack) == 0;
    printf("%lld\n", well && mallinfo2().arena > 0 ? a + b : 0);
    return 0;
}
