// Shows: 20 MB of output by one writev, sendfile and splice
// Problem: flood
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    char *text = malloc((size_t)n * 9 + 1), *end = text;
    for (int i = 0; i < n; i++)
        end += sprintf(end, "%d\n", i * 3);
    for (char *at = text; at < end;) {
        struct iovec parts[2] = {{at, 1}, {at + 1, (size_t)(end - at - 1)}};
        ssize_t wrote = writev(1, parts, 2);
        if (wrote < 0)
            return 2;
        at += wrote;
    }
    return 0;
}
