// Tries: signals the stub, the launcher, the judge, a neighbour and everybody, by every call that can
// Control: yes
#include "calls.h"
#include <signal.h>
#include <sys/prctl.h>
#include <fcntl.h>
#include <time.h>

/* SIGCONT: enough to show that a worse one would arrive. */
static void attack(const char *who, long pid)
{
    siginfo_t info = {.si_signo = SIGCONT, .si_code = SI_QUEUE};
    char what[96];
    int handle = (int)syscall(SYS_pidfd_open, pid, 0);
    const struct {
        const char *how;
        long result;
        int error;
    } tries[] = {
        {"kill", kill((pid_t)pid, SIGCONT), errno},
        {"kill of the group", kill((pid_t)-pid, SIGCONT), errno},
        {"tkill", syscall(SYS_tkill, pid, SIGCONT), errno},
        {"tgkill", syscall(SYS_tgkill, pid, pid, SIGCONT), errno},
        {"rt_sigqueueinfo", syscall(SYS_rt_sigqueueinfo, pid, SIGCONT, &info), errno},
        {"rt_tgsigqueueinfo", syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGCONT, &info), errno},
        {"pidfd_open", handle, errno},
        {"pidfd_send_signal", syscall(SYS_pidfd_send_signal, handle, SIGCONT, NULL, 0), errno},
        {"F_SETOWN", fcntl(0, F_SETOWN, pid), errno},
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
    attack("the stub", watcher());
    attack("the first process", 1);
    attack("the judge", canary_number("pid"));
    attack("the neighbour", canary_number("neighbour"));
    TRY(kill(-1, SIGCONT));
    TRY(kill(-1, 0));
    /* By the end of this process, or of its parent. */
    TRY(prctl(PR_SET_PDEATHSIG, 0));
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGCONT};
    event._sigev_un._tid = watcher();
    timer_t timer;
    TRY(timer_create(CLOCK_MONOTONIC, &event, &timer));
}
