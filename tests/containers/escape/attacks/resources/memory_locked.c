// Tries: lock memory, so that none of it can be taken back
// Control: yes
// Limits: memory=32M cpu=1s wall=3s
// Expect: memory exited signalled
// Bound: 0 MiB

#include <attack.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
    for (long mib = 1; mib <= 400; mib++) {
        char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED || mlock(block, 1 << 20) < 0) {
            refused("mlock");
            return 0;
        }
        got(mib, "MiB");
    }
}
