/* Radix sort, three passes of 11 bits. */
#include <stdio.h>

static unsigned a[100000], b[100000];

int main(void) {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    for (int i = 0; i < n; ++i)
        if (scanf("%u", &a[i]) != 1) return 1;
    unsigned *from = a, *to = b;
    for (int shift = 0; shift < 33; shift += 11) {
        int start[2049] = {0};
        for (int i = 0; i < n; ++i) ++start[(from[i] >> shift & 2047) + 1];
        for (int d = 0; d < 2048; ++d) start[d + 1] += start[d];
        for (int i = 0; i < n; ++i) to[start[from[i] >> shift & 2047]++] = from[i];
        unsigned *swap = from;
        from = to;
        to = swap;
    }
    for (int i = 0; i < n; ++i) printf("%u ", from[i]);
    putchar('\n');
    return 0;
}
