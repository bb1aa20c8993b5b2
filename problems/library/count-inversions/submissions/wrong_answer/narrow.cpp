// Counts with 32 bits.
#include "inversions.h"

#include <algorithm>

long long inversions(std::vector<int> a) {
    std::vector<int> sorted(a), seen(a.size() + 2);
    std::sort(sorted.begin(), sorted.end());
    unsigned found = 0;
    for (int i = (int)a.size() - 1; i >= 0; i--) {
        const int from = (int)(std::lower_bound(sorted.begin(), sorted.end(), a[i]) - sorted.begin());
        for (int j = from; j > 0; j -= j & -j)
            found += seen[j];
        for (int j = from + 1; j <= (int)a.size(); j += j & -j)
            seen[j]++;
    }
    return (int)found;
}
