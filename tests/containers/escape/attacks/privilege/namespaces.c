// Tries: enters namespaces, new ones and those of other processes
// Control: yes
#include "calls.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static void enter(const char *who)
{
    static const char *const kinds[] = {
        "user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time", "pid_for_children"};
    char name[64];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(name, sizeof name, "/proc/%s/ns/%s", who, kinds[i]);
        int fd = open(name, O_RDONLY);
        if (fd >= 0 && setns(fd, 0) == 0)
            escaped("entered %s", name);
        else
            refused(name);
    }
    long pid = strtol(who, NULL, 10);
    int handle = (int)syscall(SYS_pidfd_open, pid, 0);
    reach("setns with a pidfd", setns(handle, CLONE_NEWNET | CLONE_NEWNS));
}

static void make(const char *name, long flag)
{
    char what[64];
    snprintf(what, sizeof what, "clone with %s", name);
    /* A thread with it is never made by the kernel, but it is told another error than ours. */
    reach(what,
          syscall(SYS_clone, flag | CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FS | CLONE_SYSVSEM, NULL, 0, 0, 0));
    snprintf(what, sizeof what, "unshare of %s", name);
    if (flag != CLONE_NEWUSER) /* leaves a process that can do less, not more */
        reach(what, unshare((int)flag));
}

int main(void)
{
    struct {
        uint64_t flags, pidfd, child, parent, exit, stack, size, tls;
    } arguments = {.flags = CLONE_NEWUSER | CLONE_NEWNS, .exit = SIGCHLD};
    make("CLONE_NEWNS", CLONE_NEWNS);
    make("CLONE_NEWPID", CLONE_NEWPID);
    make("CLONE_NEWNET", CLONE_NEWNET);
    make("CLONE_NEWIPC", CLONE_NEWIPC);
    make("CLONE_NEWUTS", CLONE_NEWUTS);
    make("CLONE_NEWCGROUP", CLONE_NEWCGROUP);
    make("CLONE_NEWTIME", CLONE_NEWTIME << 24 | CLONE_NEWUSER);
    long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0)
        _exit(0);
    reach("clone3 with namespaces", child);
    enter("1");
    enter(canary("pid"));
    enter(canary("neighbour"));
    reach("unshare of CLONE_NEWUSER and all others", unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                                             CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP));
    reach("unshare of the file table", unshare(CLONE_FILES | CLONE_FS | CLONE_SYSVSEM));
}
