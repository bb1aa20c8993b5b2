// Tries: take memory by malloc, touched page by page, faster than anybody can look
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
        char *block = malloc(1 << 20);
        if (block == NULL) {
            refused("malloc");
            return 0;
        }
        for (int at = 0; at < 1 << 20; at += 4096)
            block[at] = 1;
        got(mib, "MiB");
    }
}
