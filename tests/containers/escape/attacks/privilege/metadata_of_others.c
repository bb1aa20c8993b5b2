// Tries: changes modes, owners, times and attributes of the judge's files, which needs no opening
// Control: yes
#include "calls.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

static void attack(const char *path)
{
    const struct timespec times[2] = {{1, 0}, {2, 0}};
    char what[256];
    int handle = open(path, O_PATH);
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", handle);
    const struct {
        const char *how;
        long result;
        int error;
    } tries[] = {
        {"chmod", chmod(path, 0777), errno},
        {"fchmodat", fchmodat(AT_FDCWD, path, 0777, 0), errno},
        {"chmod of a descriptor", chmod(name, 0777), errno},
        {"fchmodat2", syscall(CALL_fchmodat2, handle, "", 0777, AT_EMPTY_PATH), errno},
        {"chown", chown(path, getuid(), getgid()), errno},
        {"lchown", lchown(path, getuid(), getgid()), errno},
        {"fchownat", fchownat(handle, "", getuid(), getgid(), AT_EMPTY_PATH), errno},
        {"utimensat", utimensat(AT_FDCWD, path, times, 0), errno},
        {"utimensat now", utimensat(AT_FDCWD, path, NULL, 0), errno},
        {"utime", utime(path, NULL), errno},
        {"utimes", utimes(path, NULL), errno},
        {"setxattr", setxattr(path, "user.x", "1", 1, 0), errno},
        {"lsetxattr", lsetxattr(path, "user.y", "1", 1, 0), errno},
        {"removexattr", removexattr(path, "user.x"), errno},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        snprintf(what, sizeof what, "%s of %s", tries[i].how, path);
        errno = tries[i].error;
        if (tries[i].result == -1)
            refused(what);
        else
            escaped("%s", what);
    }
}

int main(void)
{
    attack(canary("writable"));
    attack(canary("file"));
    attack(canary("world"));
    attack(canary("answer"));
    attack("..");
    attack("../in");
    attack("/usr/bin/env");
}
