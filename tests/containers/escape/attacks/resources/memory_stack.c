// Tries: take memory by recursion
// Control: no, the stack is as large as the shell allows, often less than the bound
// Limits: memory=32M cpu=1s wall=3s
// Expect: memory exited signalled
// Bound: 56 MiB

#include <attack.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static int deeper(long mib)
{
    volatile char block[1 << 20];
    for (int at = 0; at < 1 << 20; at += 4096)
        block[at] = 1;
    got(mib, "MiB");
    return deeper(mib + 1) + block[77];
}

int main(void) { return deeper(1); }
