#include "inversions.h"

#include <stdlib.h>

static int compare(const void *one, const void *other) {
    const int a = *(const int *)one, b = *(const int *)other;
    return (a > b) - (a < b);
}

long long inversions(int n, const int *a) {
    int *sorted = malloc(sizeof(int) * (n + 1)), *seen = calloc(n + 2, sizeof(int));
    long long found = 0;
    for (int i = 0; i < n; i++)
        sorted[i] = a[i];
    qsort(sorted, n, sizeof(int), compare);
    for (int i = n - 1; i >= 0; i--) {
        int from = 0, to = n;
        while (from < to) {
            const int middle = (from + to) / 2;
            if (sorted[middle] < a[i])
                from = middle + 1;
            else
                to = middle;
        }
        for (int j = from; j > 0; j -= j & -j)
            found += seen[j];
        for (int j = from + 1; j <= n; j += j & -j)
            seen[j]++;
    }
    free(sorted);
    free(seen);
    return found;
}
