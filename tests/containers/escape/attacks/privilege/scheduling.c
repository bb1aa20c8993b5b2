// Tries: takes the processor from others: priorities, real-time classes, affinity, I/O classes, its own and theirs
// Control: yes
#include "calls.h"
#include <sched.h>
#include <sys/resource.h>

static void attack(const char *who, long pid)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = 48, .policy = SCHED_OTHER, .nice = 1};
    const struct sched_param fifo = {.sched_priority = 1}, plain = {.sched_priority = 0};
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    char what[96];
    const struct {
        const char *how;
        long result;
        int error;
    } tries[] = {
        {"setpriority", setpriority(PRIO_PROCESS, (id_t)pid, 1), errno},
        {"setpriority of the group", setpriority(PRIO_PGRP, (id_t)pid, 1), errno},
        {"SCHED_FIFO", sched_setscheduler((pid_t)pid, SCHED_FIFO, &fifo), errno},
        {"SCHED_BATCH", sched_setscheduler((pid_t)pid, SCHED_BATCH, &plain), errno},
        {"sched_setparam", sched_setparam((pid_t)pid, &plain), errno},
        {"sched_setattr", syscall(SYS_sched_setattr, pid, &attributes, 0), errno},
        {"sched_setaffinity", sched_setaffinity((pid_t)pid, sizeof all, &all), errno},
        {"ioprio_set", syscall(SYS_ioprio_set, 1, pid, 2 << 13), errno},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        snprintf(what, sizeof what, "%s: %s", tries[i].how, who);
        errno = tries[i].error;
        if (tries[i].result == -1)
            refused(what);
        else
            escaped("%s", what);
    }
}

int main(void)
{
    attack("itself", 0);
    attack("the neighbour", canary_number("neighbour"));
    attack("the judge", canary_number("pid"));
    attack("its parent", watcher());
}
