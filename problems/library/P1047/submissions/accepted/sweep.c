/* Sorts the sections and sweeps over them. */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int u, v;
} section;

static int by_left(const void *a, const void *b) { return ((const section *)a)->u - ((const section *)b)->u; }

int main(void) {
    int l, m, gone = 0, end = -1;
    section s[100];
    if (scanf("%d%d", &l, &m) != 2) return 1;
    for (int i = 0; i < m; ++i)
        if (scanf("%d%d", &s[i].u, &s[i].v) != 2) return 1;
    qsort(s, m, sizeof *s, by_left);
    for (int i = 0; i < m; ++i) {
        int from = s[i].u > end ? s[i].u : end + 1;
        if (s[i].v >= from) {
            gone += s[i].v - from + 1;
            end = s[i].v;
        }
    }
    printf("%d\n", l + 1 - gone);
    return 0;
}
