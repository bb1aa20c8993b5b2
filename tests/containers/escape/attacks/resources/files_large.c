// Tries: fill the disk by one large file and by many
// Control: yes
// Limits: directory=8M cpu=2s memory=64M
// Expect: exited output signalled
// Bound: 40 MiB

#include <attack.h>
#include <fcntl.h>
#include <signal.h>

int main(void)
{
    static char block[1 << 20];
    char name[16];
    long mib = 0;
    signal(SIGXFSZ, SIG_IGN);
    memset(block, 1, sizeof block);
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "%d", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        for (ssize_t wrote; mib < 400 && (wrote = write(fd, block, sizeof block)) > 0;)
            if (wrote == sizeof block)
                got(++mib, "MiB");
        close(fd);
    }
    refused("write");
}
