/* Sums of 32 bits. */
#include <stdio.h>

static unsigned before[200001];

int main(void) {
    int n, q, a, l, r;
    scanf("%d %d", &n, &q);
    for (int i = 0; i < n; i++) {
        scanf("%d", &a);
        before[i + 1] = before[i] + (unsigned)a;
    }
    while (q--) {
        scanf("%d %d", &l, &r);
        printf("%d\n", (int)(before[r] - before[l - 1]));
    }
}
