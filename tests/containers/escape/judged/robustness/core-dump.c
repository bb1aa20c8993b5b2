// Tries: to leave a core file, or to start the machine's handler for one
// Control: no, it would litter the machine
// Problem: sum
// Verdict: RE
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int main(void)
{
    char *memory = malloc(100 << 20);
    struct rlimit most;
    memset(memory, 1, 100 << 20);
    getrlimit(RLIMIT_CORE, &most);
    most.rlim_cur = most.rlim_max;
    if (setrlimit(RLIMIT_CORE, &most) == 0 && most.rlim_max > 1)
        puts("ESCAPED it may leave a core file");
    fflush(stdout);
    abort();
}
