/* What becomes of calls in the launcher and the stub: "name before after", 1 where the kernel knows the call, 0 where it is
 * as if it did not. Their filter comes by standard input. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define NOWHERE ((unsigned long)-1) /* no address, no descriptor, no flags that are known */
static const struct {
    const char *name;
    long number;
    unsigned long arguments[5];
} calls[] = {
#define CALL(name, ...)                                                                                                \
    {                                                                                                                  \
#name, SYS_##name, { __VA_ARGS__ }                                                                             \
    }
    /* refused */
    CALL(socket, AF_UNIX, SOCK_STREAM),
    CALL(connect, NOWHERE),
    CALL(unshare, CLONE_NEWUSER),
    CALL(setns, NOWHERE),
    CALL(ptrace, NOWHERE),
    CALL(process_vm_readv, 1, NOWHERE, 1, NOWHERE, 1),
    CALL(pidfd_open, NOWHERE),
    CALL(bpf, NOWHERE),
    CALL(keyctl, NOWHERE),
    CALL(memfd_create, NOWHERE),
    CALL(open_by_handle_at, NOWHERE),
    CALL(open_tree, NOWHERE, NOWHERE, NOWHERE),
    CALL(chroot, NOWHERE),
    CALL(pivot_root, NOWHERE, NOWHERE),
    CALL(mknodat, NOWHERE, NOWHERE),
    CALL(setgroups, NOWHERE, NOWHERE),
    {"clone-user", SYS_clone, {CLONE_NEWUSER | CLONE_FS | CLONE_THREAD}},
    {"clone-net", SYS_clone, {CLONE_NEWNET | CLONE_THREAD}},
    {"mount-bind", SYS_mount, {NOWHERE, NOWHERE, NOWHERE, MS_NOSUID | MS_NODEV | MS_BIND}},
    {"mount-devices", SYS_mount, {NOWHERE, NOWHERE, NOWHERE, MS_NOSUID}},
    /* of slots that have a mount namespace */
    {"clone-stub", SYS_clone, {CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_THREAD}},
    {"mount-box", SYS_mount, {NOWHERE, NOWHERE, NOWHERE, MS_NOSUID | MS_NODEV | MS_REMOUNT}},
    /* as ever */
    CALL(umount2, NOWHERE, NOWHERE),
    CALL(getpid),
    {"clone-thread", SYS_clone, {CLONE_THREAD}},
    CALL(recvmsg, NOWHERE),
    CALL(sendmsg, NOWHERE),
    CALL(capset, NOWHERE, NOWHERE),
    CALL(seccomp, NOWHERE),
    CALL(openat, NOWHERE, NOWHERE),
    CALL(kill, 0, NOWHERE),
};
#undef CALL

static int known(size_t i)
{
    const unsigned long *a = calls[i].arguments;
    return syscall(calls[i].number, a[0], a[1], a[2], a[3], a[4]) >= 0 || errno != ENOSYS;
}

int main(void)
{
    static char said[COUNT(calls)];
    static struct sock_filter code[4096];
    const ssize_t got = read(0, code, sizeof code);
    const struct sock_fprog program = {(unsigned short)((size_t)got / sizeof *code), code};
    for (size_t i = 0; i < COUNT(calls); i++) {
        const pid_t child = fork(); /* one that a call changes */
        int status = 0;
        if (child == 0)
            _exit(known(i));
        said[i] = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status);
    }
    if (got <= 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
        return 1;
    for (size_t i = 0; i < COUNT(calls); i++)
        printf("%s %d %d\n", calls[i].name, said[i], known(i));
    return 0;
}
