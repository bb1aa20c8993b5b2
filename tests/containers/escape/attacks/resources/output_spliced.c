// Tries: flood standard output without writing: by splice, tee and sendfile from a device
// Control: no, floods end where somebody counts: nothing outside does
// Limits: output=1M cpu=2s wall=5s
// Expect: output exited

#include <attack.h>
#include <fcntl.h>
#include <sys/sendfile.h>

static char block[1 << 15];

int main(void)
{
    int zero = open("/dev/zero", O_RDONLY), ends[2];
    for (long sent = 1; sent > 0;)
        sent = sendfile(1, zero, NULL, 1 << 20);
    pipe(ends);
    for (long sent = 1; sent > 0;) {
        if (splice(zero, NULL, ends[1], NULL, sizeof block, 0) <= 0) /* not this device, before Linux 6.5 */
            write(ends[1], block, sizeof block);
        sent = tee(ends[0], 1, sizeof block, 0);
        if (splice(ends[0], NULL, 1, NULL, sizeof block, 0) > 0)
            sent = 1;
    }
    held("no such way");
}
