// Tries: stops, kills and confuses the stub that watches it, and hides its own end from it
// Control: no, outside there is no stub, and its parent is the judge's
// Limits: processes=8
// Expect: exited signalled
#include "attack.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

int main(void)
{
    const long stub = getppid();
    siginfo_t forged = {.si_signo = SIGRTMIN, .si_code = SI_TIMER};
    for (int signal = 1; signal < 65; signal++) {
        if (kill((pid_t)stub, signal) == 0)
            held("signal %d was sent to %ld", signal, stub);
        forged.si_signo = signal;
        syscall(SYS_rt_sigqueueinfo, stub, signal, &forged);
        syscall(SYS_rt_tgsigqueueinfo, stub, stub, signal, &forged);
        syscall(SYS_tgkill, stub, stub, signal);
    }
    held("the stub goes on");
    fflush(stdout);
    /* A child of the stub's, which tells it of its end by a signal of our choice; of ours under gVisor. */
    long sibling = syscall(SYS_clone, CLONE_PARENT | SIGKILL, NULL, NULL, NULL, NULL);
    if (sibling == 0)
        _exit(0);
    sibling = syscall(SYS_clone, CLONE_PARENT, NULL, NULL, NULL, NULL);
    if (sibling == 0) {
        for (int signal = 1; signal < 65; signal++)
            sigignore(signal);
        for (;;)
            pause(); /* ends with the run */
    }
    if (sibling < 0)
        refused("clone with CLONE_PARENT");
    else
        held("a sibling is the stub's to end");
    /* Orphans that are not waited for. */
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            if (fork() == 0)
                pause();
            _exit(0);
        }
    held("the stub goes on");
}
