// Shows: sbrk, mmap, mremap, mprotect, posix_memalign, malloc_trim, madvise of huge pages, mlock, shared memory of its own
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
    long long a, b;
    void *aligned;
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    char *grown = sbrk(1 << 20);
    char *mapped = mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *shared = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (grown == (void *)-1 || mapped == MAP_FAILED || shared == MAP_FAILED)
        return 2;
    grown[0] = shared[0] = 1;
    madvise(mapped, 8 << 20, MADV_HUGEPAGE);
    memset(mapped, 1, 8 << 20);
    mlock(shared, 4096);
    mapped = mremap(mapped, 8 << 20, 32 << 20, MREMAP_MAYMOVE);
    if (mapped == MAP_FAILED || mapped[100] != 1 || mprotect(mapped, 4096, PROT_READ) != 0)
        return 3;
    if (posix_memalign(&aligned, 1 << 21, 4 << 21) != 0 || ((size_t)aligned & ((1 << 21) - 1)) != 0)
        return 4;
    madvise(aligned, 4 << 21, MADV_DONTNEED);
    free(aligned);
    for (int i = 0; i < 1000; i++)
        free(memset(malloc((size_t)i * 1000 + 1), 0, 1));
    malloc_trim(0);
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    munmap(mapped, 32 << 20);
    printf("%lld\n", a + b);
    return 0;
}
