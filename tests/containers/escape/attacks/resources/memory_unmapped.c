// Tries: hide shared memory by unmapping most of what was touched, while one page keeps the object
// Control: yes
// Limits: memory=32M cpu=1s wall=3s
// Expect: memory exited signalled
// Bound: 72 MiB

#include <attack.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
    for (long mib = 4; mib <= 800; mib += 4) {
        char *block = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) {
            refused("mmap");
            return 0;
        }
        memset(block, 1, 4 << 20);
        munmap(block + 4096, (4 << 20) - 4096); /* the pages stay: the object is still mapped */
        got(mib, "MiB");
    }
}
