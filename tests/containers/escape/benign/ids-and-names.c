// Shows: getpid, getuid, uname, sysconf, isatty, getenv, getcwd, gethostname, ttyname, sched_getaffinity
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
    long long a, b;
    char text[4096];
    struct utsname machine;
    cpu_set_t processors;
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    int well = getpid() > 0 && getppid() >= 0 && uname(&machine) == 0 && strcmp(machine.sysname, "Linux") == 0;
    well = well && sysconf(_SC_PAGESIZE) >= 4096 && sysconf(_SC_NPROCESSORS_ONLN) > 0 && !isatty(0) && !isatty(1);
    well = well && getenv("ONLINE_JUDGE") != NULL && getenv("HOME") != NULL && setenv("MINE", "1", 1) == 0;
    well = well && getcwd(text, sizeof text) != NULL && gethostname(text, sizeof text) == 0 && ttyname(0) == NULL;
    well = well && sched_getaffinity(0, sizeof processors, &processors) == 0 && getlogin() != text;
    printf("%lld\n", well && getuid() == geteuid() ? a + b : 0);
    return 0;
}
