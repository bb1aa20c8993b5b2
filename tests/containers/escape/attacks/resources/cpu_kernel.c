// Tries: use CPU time inside the kernel, in calls that take long
// Control: no, outside nothing limits CPU time
// Limits: cpu=0.2s wall=4s memory=128M
// Expect: cpu

#include <attack.h>
#include <fcntl.h>
#include <sys/mman.h>

int main(void)
{
    size_t size = 64 << 20;
    char *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int random = open("/dev/urandom", O_RDONLY), zero = open("/dev/zero", O_RDONLY);
    for (;;) {
        read(random, block, size);
        read(zero, block, size);
        madvise(block, size, MADV_DONTNEED);
    }
}
