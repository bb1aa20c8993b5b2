// From the largest on: take what still fits.
#include <cstdio>
#include <vector>

int main() {
    long long n;
    if (std::scanf("%lld", &n) != 1)
        return 1;
    long long left = n * (n + 1) / 2;
    if (left % 2 != 0) {
        std::puts("NO");
        return 0;
    }
    left /= 2;
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
