// Tries: flood standard output without writing: by splice, tee and sendfile from a device
// Control: no, floods end where somebody counts: nothing outside does
// Limits: output=1M cpu=2s wall=5s
// Expect: output exited

#include <attack.h>
#include <fcntl.h>
#include <sys/sendfile.h>

int main(void)
{
    int zero = open("/dev/zero", O_RDONLY), ends[2];
    for (long sent = 1; sent > 0;)
        sent = sendfile(1, zero, NULL, 1 << 20);
    pipe(ends);
    for (long sent = 1; sent > 0;) {
        sent = splice(zero, NULL, ends[1], NULL, 1 << 16, 0);
        tee(ends[0], 1, 1 << 16, 0);
        splice(ends[0], NULL, 1, NULL, 1 << 16, 0);
    }
    held("no such way");
}
