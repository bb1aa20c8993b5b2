// Tries: fill the buffers of sockets, which are the kernel's memory, by threads that each have a table of descriptors of their own
// Control: yes
// Limits: memory=64M cpu=2s
// Bound: 16 MiB

#include <attack.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>

static atomic_long bytes;

static void fill(int end)
{
    static char block[4096];
    fcntl(end, F_SETFL, O_NONBLOCK);
    for (ssize_t wrote; (wrote = write(end, block, sizeof block)) > 0;)
        bytes += wrote;
}

static void *hoard(void *unused)
{
    syscall(SYS_close_range, ~0u, ~0u, 2 /* CLOSE_RANGE_UNSHARE */);
    for (int ends[2]; bytes < 700 << 20 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;) {
        fill(ends[0]);
        fill(ends[1]);
    }
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 50; i++)
        pthread_create(&thread, NULL, hoard, NULL);
    for (int i = 0; i < 10; i++) {
        usleep(50000);
        got(bytes >> 20, "MiB");
    }
}
