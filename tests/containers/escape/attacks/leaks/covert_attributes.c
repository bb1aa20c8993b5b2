// Tries: leaves and reads marks on shared files: extended attributes, inode flags, modes, owners
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static void attack(const char *name, const char *path, int fd)
{
    char what[128], value[64];
    int flags = FS_NOATIME_FL;
    const struct {
        const char *how;
        long result;
        int error;
    } tries[] = {
        {"set an attribute", setxattr(path, "user.mark", "1", 1, 0), errno},
        {"set an attribute by descriptor", fsetxattr(fd, "user.mark", "1", 1, 0), errno},
        {"remove an attribute", removexattr(path, "user.mark"), errno},
        {"set its mode", chmod(path, 0777), errno},
        {"set its mode by descriptor", fchmod(fd, 0777), errno},
        {"set its owner", chown(path, getuid(), -1), errno},
        {"set its flags", ioctl(fd, FS_IOC_SETFLAGS, &flags), errno},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        snprintf(what, sizeof what, "%s: %s", tries[i].how, name);
        errno = tries[i].error;
        if (tries[i].result == -1)
            refused(what);
        else
            escaped("%s", what);
    }
    /* An attribute that is not there says that it could be read if it were. */
    snprintf(what, sizeof what, "read an attribute: %s", name);
    if (getxattr(path, "user.secret", value, sizeof value) >= 0 || errno == ENODATA)
        escaped("%s", what);
    else
        refused(what);
}

int main(void)
{
    attack("the input", "/proc/self/fd/0", 0);
    attack("a program of the view", "/usr/bin/env", open("/usr/bin/env", O_RDONLY));
    attack("a device", "/dev/null", open("/dev/null", O_RDONLY));
    attack("the judge's file", canary("writable"), open(canary("writable"), O_RDONLY));
    attack("its directory's parent", "..", open("..", O_RDONLY));
}
