// Shows: reads its input twice: lseek, rewind, pread, ungetc
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    long long a, b, c, d;
    char text[256] = "";
    if (pread(0, text, sizeof text - 1, 0) <= 0 || scanf("%lld%lld", &a, &b) != 2)
        return 1;
    rewind(stdin);
    if (lseek(0, 0, SEEK_SET) != 0 || scanf("%lld%lld", &c, &d) != 2)
        return 2;
    printf("%lld\n", a == c && b == d && strchr(text, ' ') ? a + b : 0);
    return 0;
}
