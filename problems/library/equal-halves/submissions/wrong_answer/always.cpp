// Believes that there always is a split.
#include <cstdio>
#include <vector>

int main() {
    long long n;
    std::scanf("%lld", &n);
    long long left = n * (n + 1) / 4;
    std::vector<long long> taken;
    for (long long i = n; i > 0; i--)
        if (i <= left) {
            taken.push_back(i);
            left -= i;
        }
    std::printf("YES\n%zu\n", taken.size());
    for (long long one : taken)
        std::printf("%lld ", one);
    std::puts("");
}
