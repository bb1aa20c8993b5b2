// Tries: raise the limits that the sandbox has set, for itself and for its parent
// Control: no, outside they are not lower than what a process may ask for
// Expect: exited

#include <attack.h>
#include <sys/resource.h>

int main(void)
{
    static const int which[] = {RLIMIT_CORE,    RLIMIT_CPU,      RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC,
                                RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE, RLIMIT_NICE,  RLIMIT_RTPRIO, RLIMIT_SIGPENDING};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        struct rlimit now, more;
        getrlimit(which[i], &now);
        if (now.rlim_max == RLIM_INFINITY)
            continue; /* bounded by something else */
        more = (struct rlimit){now.rlim_max + 1, now.rlim_max + 1};
        if (setrlimit(which[i], &more) < 0)
            refused("setrlimit");
        else if (getrlimit(which[i], &more) == 0 && more.rlim_max > now.rlim_max)
            escaped("limit %d raised from %ld", which[i], (long)now.rlim_max);
    }
    TRY(prlimit(getppid(), RLIMIT_NOFILE, NULL, &(struct rlimit){0}));
    TRY(setpriority(PRIO_PROCESS, 0, -5));
    TRY(nice(-5));
}
