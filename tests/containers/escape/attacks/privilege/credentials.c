// Tries: becomes another user, gains capabilities, makes and starts set-user-id programs
// Control: yes
// Limits: processes=4
#include "calls.h"
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *const setuid_programs[] = {"/usr/bin/su",   "/usr/bin/mount",  "/usr/bin/passwd",
                                              "/usr/bin/chsh", "/usr/bin/newgrp", "/usr/bin/gpasswd",
                                              "/usr/bin/sudo", "/usr/bin/pkexec", "/usr/lib/openssh/ssh-keysign"};

static void capabilities(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct has[2] = {{0}}, all[2] = {{~0u, ~0u, ~0u}, {~0u, ~0u, ~0u}};
    syscall(SYS_capget, &header, has);
    if (has[0].effective | has[0].permitted | has[0].inheritable | has[1].effective | has[1].permitted)
        escaped("it has capabilities %x %x", has[0].permitted, has[1].permitted);
    TRY(syscall(SYS_capset, &header, all));
    for (int number = 0; number < 41; number++)
        if (prctl(PR_CAPBSET_READ, number) == 1 && getuid() == 0)
            escaped("capability %d can come back", number);
    TRY(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0));
    TRY(prctl(PR_SET_KEEPCAPS, 1));
    TRY(prctl(PR_SET_SECUREBITS, SECBIT_KEEP_CAPS));
}

/* Does exec of a set-user-id program change who we are? A closed input keeps it from asking anything. */
static void start(const char *path)
{
    struct stat status;
    if (stat(path, &status) < 0 || !(status.st_mode & S_ISUID))
        return;
    pid_t child = fork();
    if (child == 0) {
        close(0);
        close(1);
        close(2);
        execl(path, path, "--version", (char *)NULL);
        _exit(127);
    }
    int ended = 0;
    uid_t owner = getuid();
    char name[64];
    snprintf(name, sizeof name, "/proc/%d", child);
    for (int i = 0; i < 200 && owner == getuid(); i++)
        owner = stat(name, &status) == 0 ? status.st_uid : getuid();
    if (owner != getuid() && owner == 0 && prctl(PR_GET_NO_NEW_PRIVS) == 0)
        escaped("%s ran as %d", path, owner);
    else
        held("%s stays with user %d", path, getuid());
    waitpid(child, &ended, 0);
}

int main(void)
{
    const gid_t none[] = {0};
    TRY(setuid(0));
    TRY(setgid(0));
    TRY(setreuid(0, 0));
    TRY(setresuid(0, 0, 0));
    TRY(setresgid(0, 0, 0));
    TRY(setgroups(1, none));
    if (syscall(SYS_setfsuid, 0) == 0 || syscall(SYS_setfsgid, 0) == 0)
        escaped("the file system's user is root");
    capabilities();
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0)
        escaped("set-user-id programs would count");
    else
        held("no_new_privs");
    TRY(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
    close(open("mine", O_WRONLY | O_CREAT, 0755));
    if (chmod("mine", 04755) == 0 && access("/etc/shadow", R_OK) == 0)
        escaped("a set-user-id program of its own");
    for (size_t i = 0; i < sizeof setuid_programs / sizeof *setuid_programs; i++)
        start(setuid_programs[i]);
}
