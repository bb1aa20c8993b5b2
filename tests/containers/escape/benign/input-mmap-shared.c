// Shows: 50 MB of input by shared mappings of descriptor 0, window by window, then as a whole
// Problem: column
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

static long long value, sum;

static void add(const char *text, off_t length)
{
    for (off_t i = 0; i < length; i++)
        if (text[i] >= '0') {
            value = value * 10 + text[i] - '0';
        } else {
            sum += value;
            value = 0;
        }
}

int main(void)
{
    const off_t window = 4 << 20;
    struct stat status;
    if (fstat(0, &status) != 0 || status.st_size < 40000000)
        return 2;
    for (off_t at = 0; at < status.st_size; at += window) {
        off_t length = status.st_size - at < window ? status.st_size - at : window;
        char *text = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, 0, at);
        if (text == MAP_FAILED)
            return 3;
        add(text, length);
        munmap(text, (size_t)length);
    }
    const char *whole = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, 0, 0);
    if (whole == MAP_FAILED || whole[0] != '1')
        return 4;
    printf("%lld\n", sum + value);
    return 0;
}
