// Tries: take memory in a thread after the first one has ended, when /proc shows nothing of the process any more
// Control: yes
// Limits: memory=32M cpu=1s wall=3s
// Expect: memory exited signalled
// Bound: 56 MiB

#include <attack.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static void *hoard(void *unused)
{
    usleep(50000);
    for (long mib = 1; mib <= 400; mib++) {
        char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) {
            refused("mmap");
            _exit(0);
        }
        memset(block, 1, 1 << 20);
        got(mib, "MiB");
    }
    _exit(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, hoard, NULL);
    syscall(SYS_exit, 0); /* the first thread alone */
}
