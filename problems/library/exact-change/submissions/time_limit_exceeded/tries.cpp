// Tries one x after the other.
#include <cstdio>

int main() {
    long long a, b, c;
    std::scanf("%lld %lld %lld", &a, &b, &c);
    for (volatile long long x = 0; x < b; x = x + 1)
        if ((c - a * x) % b == 0) {
            std::printf("%lld %lld\n", (long long)x, (c - a * x) / b);
            return 0;
        }
    std::puts("NO");
}
