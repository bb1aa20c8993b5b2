// Tries: fill the disk by files that have neither a name nor a descriptor, only a mapping of one page
// Control: yes
// Limits: directory=8M cpu=2s memory=64M
// Expect: exited output signalled memory
// Bound: 160 MiB

#include <attack.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

int main(void)
{
    static char block[1 << 20];
    long mib = 0;
    signal(SIGXFSZ, SIG_IGN);
    memset(block, 1, sizeof block);
    for (int i = 0; i < 90; i++) {
        int fd = open("x", O_RDWR | O_CREAT | O_EXCL, 0600);
        for (ssize_t wrote; mib < 800 && (wrote = write(fd, block, sizeof block)) > 0;)
            if (wrote == sizeof block)
                got(++mib, "MiB");
        if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
            break;
        close(fd);
        unlink("x");
    }
    refused("write");
}
