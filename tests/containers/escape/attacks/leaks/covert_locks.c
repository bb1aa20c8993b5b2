// Tries: signals to a neighbour through locks, leases and notices on files that both can open
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <sys/file.h>

#define LEASE 1024
#define NOTIFY 1026
#define OFD_SETLK 37
#define OFD_GETLK 36

static void attack(const char *name, int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_len = 1};
    char what[128];
    if (fd < 0) {
        refused(name);
        return;
    }
    const struct {
        const char *how;
        long result;
        int error;
    } tries[] = {
        {"flock", flock(fd, LOCK_SH | LOCK_NB), errno},
        {"exclusive flock", flock(fd, LOCK_EX | LOCK_NB), errno},
        {"F_SETLK", fcntl(fd, F_SETLK, &lock), errno},
        {"F_GETLK", fcntl(fd, F_GETLK, &lock), errno},
        {"F_OFD_SETLK", fcntl(fd, OFD_SETLK, &(struct flock){.l_type = F_RDLCK}), errno},
        {"F_OFD_GETLK", fcntl(fd, OFD_GETLK, &(struct flock){.l_type = F_RDLCK}), errno},
        {"F_SETLEASE", fcntl(fd, LEASE, F_RDLCK), errno},
        {"F_GETLEASE", fcntl(fd, LEASE + 1), errno},
        {"F_NOTIFY", fcntl(fd, NOTIFY, 1), errno},
        {"F_SETOWN", fcntl(fd, F_SETOWN, getpid()), errno},
        {"F_SETSIG", fcntl(fd, 10 /* F_SETSIG */, 0), errno},
        {"F_SET_RW_HINT", fcntl(fd, 1036, &(uint64_t){1}), errno},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        snprintf(what, sizeof what, "%s on %s", tries[i].how, name);
        errno = tries[i].error;
        /* Held by another is an answer too. */
        if (tries[i].result == -1 && errno != EAGAIN)
            refused(what);
        else
            escaped("%s", what);
    }
    if (lockf(fd, F_TEST, 0) == 0)
        escaped("lockf on %s", name);
}

int main(void)
{
    attack("the input", 0);
    attack("the output", 1);
    attack("its executable", open("/proc/self/exe", O_RDONLY));
    attack("a device", open("/dev/zero", O_RDWR));
    attack("a program of the view", open("/usr/bin/env", O_RDONLY));
    attack("a directory of the view", open("/usr", O_RDONLY));
    attack("the judge's lock", open(canary("lock"), O_RDWR));
}
