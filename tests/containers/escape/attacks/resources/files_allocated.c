// Tries: fill the disk in no time, by fallocate on files that are deleted at once
// Control: yes
// Limits: directory=8M cpu=2s memory=64M
// Expect: exited output signalled memory
// Bound: 80 MiB

#include <attack.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

int main(void)
{
    long bytes = 0;
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 60; i++) {
        struct stat status;
        int fd = open("x", O_RDWR | O_CREAT | O_EXCL, 0600);
        unlink("x");
        if (fallocate(fd, 0, 0, 8 << 20) < 0)
            break;
        fstat(fd, &status);
        got((bytes += status.st_blocks * 512l) >> 20, "MiB");
    }
    refused("fallocate");
}
