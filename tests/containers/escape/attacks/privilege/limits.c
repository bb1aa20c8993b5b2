// Tries: raises its limits, and those of others
// Control: yes
#include "calls.h"
#include <fcntl.h>
#include <sys/resource.h>

static const struct {
    int resource;
    const char *name;
} limits[] = {{RLIMIT_NOFILE, "RLIMIT_NOFILE"},
              {RLIMIT_NPROC, "RLIMIT_NPROC"},
              {RLIMIT_FSIZE, "RLIMIT_FSIZE"},
              {RLIMIT_CORE, "RLIMIT_CORE"},
              {RLIMIT_CPU, "RLIMIT_CPU"},
              {RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"},
              {RLIMIT_NICE, "RLIMIT_NICE"},
              {RLIMIT_RTPRIO, "RLIMIT_RTPRIO"},
              {RLIMIT_MSGQUEUE, "RLIMIT_MSGQUEUE"},
              {RLIMIT_STACK, "RLIMIT_STACK"},
              {RLIMIT_SIGPENDING, "RLIMIT_SIGPENDING"}};

static void raise_own(int resource, const char *name)
{
    struct rlimit before, after;
    getrlimit(resource, &before);
    const struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(resource, &most);
    prlimit(0, (__rlimit_resource_t)resource, &most, NULL);
    prlimit(getpid(), (__rlimit_resource_t)resource, &most, NULL);
    getrlimit(resource, &after);
    if (after.rlim_max > before.rlim_max)
        escaped("%s is %lu now", name, (unsigned long)after.rlim_max);
    else
        held("%s stays %lu", name, (unsigned long)before.rlim_max);
}

/* As they are, or nothing: enough to see that they could be set. */
static void of_others(const char *who, long pid)
{
    struct rlimit now = {1024, 4096};
    char what[64];
    snprintf(what, sizeof what, "the limits of %s can be read", who);
    if (prlimit((pid_t)pid, RLIMIT_NOFILE, NULL, &now) == 0)
        escaped("%s", what);
    else
        refused(what);
    snprintf(what, sizeof what, "the limits of %s can be set", who);
    if (prlimit((pid_t)pid, RLIMIT_NOFILE, &now, NULL) == 0)
        escaped("%s", what);
    else
        refused(what);
    snprintf(what, sizeof what, "pid %ld with a high bit", pid);
    if (syscall(SYS_prlimit64, pid | 1l << 32, RLIMIT_NOFILE, NULL, &now) == 0)
        escaped("%s", what);
    else
        refused(what);
}

int main(void)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        raise_own(limits[i].resource, limits[i].name);
    of_others("the neighbour", canary_number("neighbour"));
    of_others("the judge", canary_number("pid"));
    of_others("its parent", watcher());
}
