// Tries: puts keystrokes into a terminal, takes one as its own, and changes its descriptors' settings beyond their use
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <linux/fs.h>
#include <linux/fiemap.h>
#include <linux/tiocl.h>

static void attack(const char *name, int fd)
{
    static const struct {
        unsigned long request;
        const char *how;
    } requests[] = {{TIOCSTI, "TIOCSTI"},
                    {TIOCLINUX, "TIOCLINUX"},
                    {TIOCSCTTY, "TIOCSCTTY"},
                    {TIOCNOTTY, "TIOCNOTTY"},
                    {TIOCCONS, "TIOCCONS"},
                    {TIOCSPGRP, "TIOCSPGRP"},
                    {TIOCGPTPEER, "TIOCGPTPEER"},
                    {FIOASYNC, "FIOASYNC"},
                    {FS_IOC_FIEMAP, "FIEMAP"},
                    {FIGETBSZ, "FIGETBSZ"},
                    {FIOQSIZE, "FIOQSIZE"},
                    {FS_IOC_GETFLAGS, "GETFLAGS"},
                    {FICLONE, "FICLONE"},
                    {TIOCSTI | 1ul << 32, "TIOCSTI with a high bit"},
                    {FIGETBSZ | 1ul << 32, "FIGETBSZ with a high bit"}};
    static char room[512];
    char what[96];
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        snprintf(what, sizeof what, "%s on %s", requests[i].how, name);
        if (ioctl(fd, requests[i].request, room) == -1)
            refused(what);
        else
            escaped("%s", what);
    }
}

int main(void)
{
    attack("the input", 0);
    attack("the output", 1);
    static const char *const terminals[] = {"/dev/tty",  "/dev/console", "/dev/tty0",
                                            "/dev/tty1", "/dev/pts/0",   "/dev/ptmx"};
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++) {
        int fd = open(terminals[i], O_RDWR | O_NOCTTY | O_NONBLOCK);
        if (fd < 0) {
            refused(terminals[i]);
        } else {
            escaped("opened %s", terminals[i]);
            attack(terminals[i], fd);
        }
    }
}
