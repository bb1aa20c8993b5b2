#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
    int v[2];
    if (scanf("%d %d", &v[0], &v[1]) != 2) return 1;
    qsort(v, 2, sizeof *v, compare);
    char *text = malloc(32);
    if (!text || sqrt((double)v[1]) != 2.0) return 2;
    snprintf(text, 32, "%d", v[0] + v[1]);
    puts(text);
    free(text);
    return strlen("ok") == 2 ? 0 : 3;
}
