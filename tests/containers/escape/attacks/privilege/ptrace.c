// Tries: traces: the stub, the judge, a neighbour, and itself, so that a tracer could change its system calls
// Control: yes
// Limits: processes=8
#include "calls.h"
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static void attack(const char *who, long pid)
{
    char what[64];
    static const struct {
        int request;
        const char *name;
    } requests[] = {{PTRACE_SEIZE, "PTRACE_SEIZE"},
                    {PTRACE_ATTACH, "PTRACE_ATTACH"},
                    {PTRACE_PEEKDATA, "PTRACE_PEEKDATA"},
                    {0x420c, "PTRACE_SECCOMP_GET_FILTER"},
                    {0x420d, "PTRACE_SECCOMP_GET_METADATA"}};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        snprintf(what, sizeof what, "%s of %s", requests[i].name, who);
        long done = syscall(SYS_ptrace, requests[i].request, pid, NULL, NULL);
        if (done == -1)
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
    pid_t child = fork();
    if (child == 0) {
        reach("PTRACE_TRACEME", syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL));
        _exit(0);
    }
    if (child > 0) {
        attack("its own child", child);
        waitpid(child, NULL, 0);
    }
    REACH(SYS_ptrace, -1, 0, NULL, NULL);
    reach("PR_SET_PTRACER", prctl(0x59616d61, -1, 0, 0, 0));
}
