// Tries: have the kernel keep page tables for untouched memory: a page of them for every 2 MiB that is read
// Control: no, the address space of controls is bounded, and this needs much
// Limits: memory=32M cpu=1s wall=3s
// Expect: memory exited signalled
// Bound: 40 MiB

#include <attack.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
    const size_t size = 200ul << 30, step = 2 << 20;
    volatile char *sparse = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sparse == MAP_FAILED) {
        refused("mmap");
        return 0;
    }
    madvise((void *)sparse, size, MADV_NOHUGEPAGE); /* else a huge zero page needs none */
    for (size_t at = 0, pages = 1; at < size && pages < 256 * 400; at += step, pages++) {
        (void)sparse[at]; /* the zero page: no memory of the program */
        if (pages % 256 == 0)
            got((long)pages / 256, "MiB");
    }
}
