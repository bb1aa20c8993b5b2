#include "inversions.h"

long long inversions(std::vector<int> a) {
    volatile long long found = 0;
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t j = i + 1; j < a.size(); j++)
            found = found + (a[i] > a[j]);
    return found;
}
