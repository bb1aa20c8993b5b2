#include "inversions.h"

long long count_inversions(std::vector<int> a) { return a.size(); }
