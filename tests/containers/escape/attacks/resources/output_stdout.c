// Tries: flood standard output, in large pieces, by several threads
// Control: no, floods end where somebody counts: nothing outside does
// Limits: output=1M cpu=2s wall=5s
// Expect: output

#include <attack.h>
#include <pthread.h>
#include <sys/uio.h>

static char block[1 << 16];

static void *flood(void *unused)
{
    struct iovec parts[8];
    for (int i = 0; i < 8; i++)
        parts[i] = (struct iovec){block, sizeof block};
    for (;;)
        writev(1, parts, 8);
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    memset(block, '\n', sizeof block);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, flood, NULL);
    sleep(10);
}
