// Tries: fill the disk by files without a name, in tables of descriptors that threads have of their own
// Control: yes
// Limits: directory=8M cpu=2s memory=64M
// Expect: exited output signalled memory
// Bound: 160 MiB

#include <attack.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_long bytes;

static void *hoard(void *unused)
{
    static char block[1 << 18];
    int fd = 0;
    syscall(SYS_close_range, ~0u, ~0u, 2 /* CLOSE_RANGE_UNSHARE */);
    while (fd >= 0 && bytes < 800 << 20) {
        fd = open(".", O_WRONLY | O_TMPFILE, 0600);
        for (ssize_t wrote; bytes < 800 << 20 && (wrote = write(fd, block, sizeof block)) > 0;)
            bytes += wrote;
    }
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 20; i++)
        pthread_create(&thread, NULL, hoard, NULL);
    for (int i = 0; i < 30; i++) {
        usleep(50000);
        got(bytes >> 20, "MiB");
    }
}
