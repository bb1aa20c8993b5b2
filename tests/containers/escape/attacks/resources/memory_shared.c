// Tries: take shared anonymous memory, which belongs to no process
// Control: yes
// Limits: memory=32M cpu=1s wall=3s
// Expect: memory exited signalled
// Bound: 56 MiB

#include <attack.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
    for (long mib = 1; mib <= 400; mib++) {
        char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) {
            refused("mmap");
            return 0;
        }
        memset(block, 1, 1 << 20);
        got(mib, "MiB");
    }
}
