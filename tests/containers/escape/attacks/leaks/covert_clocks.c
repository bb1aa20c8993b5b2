// Tries: measures what other processes do by their CPU clocks and scheduling
// Control: yes
#include "calls.h"
#include <signal.h>
#include <time.h>

/* The kernel's number for the CPU clock of a process. */
static clockid_t clock_of(long pid) { return (clockid_t)(~(unsigned)pid << 3 | 2); }

static void attack(const char *who, long pid)
{
    struct timespec time = {0};
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    char what[64];
    int timer;
    const struct {
        const char *how;
        long result;
        int error;
    } tries[] = {
        {"clock_gettime", syscall(SYS_clock_gettime, clock_of(pid), &time), errno},
        {"clock_getres", syscall(SYS_clock_getres, clock_of(pid), &time), errno},
        {"timer_create", syscall(SYS_timer_create, clock_of(pid), &event, &timer), errno},
        {"clock_nanosleep", syscall(SYS_clock_nanosleep, clock_of(pid), TIMER_ABSTIME, &(struct timespec){0, 1}, NULL),
         errno},
        {"sched_rr_get_interval", syscall(SYS_sched_rr_get_interval, pid, &time), errno},
        {"ioprio_get", syscall(SYS_ioprio_get, 1, pid), errno},
        {"prlimit64", syscall(SYS_prlimit64, pid, 0, NULL, &(long[2]){0}), errno},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        snprintf(what, sizeof what, "%s of %s", tries[i].how, who);
        errno = tries[i].error;
        if (tries[i].result == -1)
            refused(what);
        else
            escaped("%s", what);
    }
}

int main(void)
{
    attack("the neighbour", canary_number("neighbour"));
    attack("the judge", canary_number("pid"));
    attack("its parent", watcher());
    attack("the first process", 1);
}
