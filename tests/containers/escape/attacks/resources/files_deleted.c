// Tries: fill the disk by files that have no name any more, so that nobody sees them
// Control: yes
// Limits: directory=8M cpu=2s memory=64M
// Expect: exited output signalled memory
// Bound: 160 MiB

#include <attack.h>
#include <fcntl.h>
#include <signal.h>

int main(void)
{
    static char block[1 << 20];
    long mib = 0;
    signal(SIGXFSZ, SIG_IGN);
    memset(block, 1, sizeof block);
    for (int i = 0; i < 50; i++) {
        int fd = open("x", O_WRONLY | O_CREAT | O_EXCL, 0600);
        unlink("x");
        if (fd < 0)
            fd = open(".", O_WRONLY | O_TMPFILE, 0600);
        for (ssize_t wrote; mib < 800 && (wrote = write(fd, block, sizeof block)) > 0;)
            if (wrote == sizeof block)
                got(++mib, "MiB");
    }
    refused("write");
}
