// Shows: 50 MB of input by mmap of descriptor 0
// Problem: column
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
    struct stat status;
    long long sum = 0, value = 0;
    if (fstat(0, &status) != 0 || status.st_size < 40000000)
        return 2;
    const char *text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, 0, 0);
    if (text == MAP_FAILED)
        return 3;
    madvise((void *)text, (size_t)status.st_size, MADV_SEQUENTIAL);
    for (off_t i = 0; i < status.st_size; i++)
        if (text[i] >= '0') {
            value = value * 10 + text[i] - '0';
        } else {
            sum += value;
            value = 0;
        }
    printf("%lld\n", sum + value);
    return 0;
}
