#include "inversions.h"

#include <algorithm>

static long long count(std::vector<int> &a, std::vector<int> &other, int from, int to) {
    if (to - from < 2)
        return 0;
    const int middle = (from + to) / 2;
    long long found = count(a, other, from, middle) + count(a, other, middle, to);
    for (int i = from, j = middle, k = from; k < to; k++) {
        if (j == to || (i < middle && a[i] <= a[j])) {
            other[k] = a[i++];
        } else {
            found += middle - i;
            other[k] = a[j++];
        }
    }
    std::copy(other.begin() + from, other.begin() + to, a.begin() + from);
    return found;
}

long long inversions(std::vector<int> a) {
    std::vector<int> other(a.size());
    return count(a, other, 0, (int)a.size());
}
