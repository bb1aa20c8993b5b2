// Nobody gives change.
#include <cstdio>

int main() {
    long long a, b, c;
    std::scanf("%lld %lld %lld", &a, &b, &c);
    for (long long x = 0; a * x <= c && x < 1000000; x++)
        if ((c - a * x) % b == 0) {
            std::printf("%lld %lld\n", x, (c - a * x) / b);
            return 0;
        }
    std::puts("NO");
}
