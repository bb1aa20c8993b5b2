// Tries: hide shared memory that a mapping of /dev/zero makes, and that is only ever read
// Control: yes
// Limits: memory=32M cpu=1s wall=3s
// Expect: memory exited signalled
// Bound: 72 MiB

#include <attack.h>
#include <fcntl.h>
#include <sys/mman.h>

int main(void)
{
    int zero = open("/dev/zero", O_RDWR);
    if (zero < 0)
        zero = open("/dev/zero", O_RDONLY);
    for (long mib = 4; mib <= 400; mib += 4) {
        volatile char *block = mmap(NULL, 4 << 20, PROT_READ, MAP_SHARED, zero, 0);
        if (block == MAP_FAILED) {
            refused("mmap");
            return 0;
        }
        for (int at = 0; at < 4 << 20; at += 4096)
            (void)block[at];
        munmap((char *)block + 4096, (4 << 20) - 4096);
        got(mib, "MiB");
    }
}
