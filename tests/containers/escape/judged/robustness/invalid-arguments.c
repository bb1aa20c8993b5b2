// Tries: to run itself under a name and arguments that are no UTF-8, and as process titles that forge lines
// Control: no, a plain judge bears it
// Problem: sum
// Verdict: AC WA
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    long long a, b;
    (void)argv;
    prctl(PR_SET_NAME, "x) R 1 1\n\xff");
    if (argc < 3) {
        char *const again[] = {"\xff\xfe\n) S 1", "\xc3\x28", "\x1b[2J", NULL};
        char *const environment[] = {"\xff=\xfe", "=", "LD_PRELOAD=/x.so", NULL};
        execve("/proc/self/exe", again, environment);
    }
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    printf("%lld\n", a + b);
    return 0;
}
