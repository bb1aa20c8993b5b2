// Tries: leaves a core dump, or has the kernel start the machine's handler of core dumps by changing its own limit
// Control: no, a handler outside would be the machine's own
// Expect: signalled
#include "calls.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int main(void)
{
    /* With a handler in core_pattern the kernel starts it at every limit but 1. */
    const unsigned long tries[] = {0, 2, 1 << 20, RLIM_INFINITY};
    struct rlimit before, after;
    getrlimit(RLIMIT_CORE, &before);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct rlimit set = {tries[i], before.rlim_max}, all = {tries[i], tries[i]};
        syscall(SYS_setrlimit, RLIMIT_CORE, &set);
        prlimit(0, RLIMIT_CORE, &set, NULL);
        syscall(SYS_prlimit64, 0, RLIMIT_CORE | 1l << 32, &set, NULL);
        setrlimit(RLIMIT_CORE, &all);
        getrlimit(RLIMIT_CORE, &after);
        if (after.rlim_cur != before.rlim_cur || after.rlim_max != before.rlim_max)
            escaped("the limit of core dumps is %lu", (unsigned long)after.rlim_cur);
    }
    prctl(PR_SET_DUMPABLE, 1);
    held("the limit stays %lu", (unsigned long)before.rlim_cur);
    abort();
}
