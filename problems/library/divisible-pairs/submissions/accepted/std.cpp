#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, k;
    if (std::scanf("%d %d", &n, &k) != 2)
        return 1;
    std::vector<int> a(n);
    for (int &one : a) {
        if (std::scanf("%d", &one) != 1)
            return 1;
        one = (one % k + k) % k;
    }
    std::sort(a.begin(), a.end());
    long long twice = 0;
    for (int one : a) {
        auto [from, to] = std::equal_range(a.begin(), a.end(), (k - one) % k);
        twice += to - from - (2LL * one % k == 0);
    }
    std::printf("%lld\n", twice / 2);
}
