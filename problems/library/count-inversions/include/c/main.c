#include <stdio.h>

#include "inversions.h"

static int a[100000];

int main(void) {
    int calls, n;
    if (scanf("%d", &calls) != 1)
        return 1;
    while (calls-- > 0 && scanf("%d", &n) == 1) {
        for (int i = 0; i < n; i++)
            if (scanf("%d", &a[i]) != 1)
                return 1;
        printf("%lld\n", inversions(n, a));
    }
    return 0;
}
