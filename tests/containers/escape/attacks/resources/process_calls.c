// Tries: a new process by each of the other calls that make one
// Control: yes

#include <attack.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>

static char stack[65536] __attribute__((aligned(16)));
static int child(void *unused)
{
    (void)unused;
    _exit(0);
}

int main(void)
{
    char *arguments[] = {"true", NULL};
    pid_t pid = vfork();
    if (pid == 0)
        _exit(0);
    TRY(pid);
    TRY(clone(child, stack + sizeof stack, SIGCHLD, NULL));
    TRY(clone(child, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, NULL));
    TRY(clone(child, stack + sizeof stack, CLONE_PARENT, NULL));
    struct clone_args how = {.exit_signal = SIGCHLD};
    long made = syscall(SYS_clone3, &how, sizeof how);
    if (made == 0)
        _exit(0);
    TRY(made);
    struct clone_args thread = {.flags = CLONE_VFORK, .exit_signal = SIGCHLD};
    made = syscall(SYS_clone3, &thread, sizeof thread);
    if (made == 0)
        _exit(0);
    TRY(made);
    errno = posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, NULL);
    TRY(errno ? -1 : 0);
    int status = system("true");
    TRY(status == 127 << 8 ? -1 : status);
    if (popen("true", "r") == NULL)
        refused("popen");
    else
        escaped("popen");
}
