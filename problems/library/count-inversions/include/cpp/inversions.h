#include <vector>

long long inversions(std::vector<int> a);
