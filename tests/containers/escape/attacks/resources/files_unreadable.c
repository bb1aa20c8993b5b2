// Tries: fill the disk by files in a directory that nobody may list, not even its owner
// Control: yes
// Limits: directory=8M cpu=2s memory=64M
// Expect: exited output signalled memory
// Bound: 32 MiB

#include "attack.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

int main(void)
{
    static char block[1 << 20];
    char name[32];
    long mib = 0;
    signal(SIGXFSZ, SIG_IGN);
    memset(block, 1, sizeof block);
    mkdir("closed", 0300);
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "closed/%d", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        for (int n = 0; n < 7 && write(fd, block, sizeof block) == sizeof block; n++)
            got(++mib, "MiB");
        close(fd);
        nanosleep(&(struct timespec){0, 60000000}, NULL); /* whoever looks has the time to */
    }
    refused("write");
}
