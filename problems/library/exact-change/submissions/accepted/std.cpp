#include <cstdio>

static long long euclid(long long a, long long b, long long &x, long long &y) {
    if (b == 0) {
        x = 1;
        y = 0;
        return a;
    }
    const long long divisor = euclid(b, a % b, y, x);
    y -= a / b * x;
    return divisor;
}

int main() {
    long long a, b, c, x, y;
    if (std::scanf("%lld %lld %lld", &a, &b, &c) != 3)
        return 1;
    const long long divisor = euclid(a, b, x, y);
    if (c % divisor != 0)
        std::puts("NO");
    else
        std::printf("%lld %lld\n", x * (c / divisor), y * (c / divisor));
}
