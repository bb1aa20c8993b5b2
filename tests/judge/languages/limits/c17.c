#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long depth(long n) { volatile long m = n; return m ? 1 + depth(m - 1) : 0; }
int main(void) {
    char what[16];
    long n;
    if (scanf("%15s %ld", what, &n) != 2) return 2;
    if (!strcmp(what, "memory")) {
        char *p = malloc(n << 20);
        memset(p, 1, n << 20);
        n -= p[n] - 1;
    } else if (!strcmp(what, "depth")) {
        n = depth(n);
    } else {
        abort();
    }
    printf("done %ld\n", n);
}
