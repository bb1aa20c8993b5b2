// Counts b itself down, and then prints what is left of it.
#include <cstdio>

int main() {
    long long a, b, p;
    scanf("%lld %lld %lld", &a, &b, &p);
    long long result = 1, square = a % p;
    for (; b > 0; b /= 2) {
        if (b % 2 == 1) result = result * square % p;
        square = square * square % p;
    }
    printf("%lld^%lld mod %lld=%lld\n", a, b, p, result);
}
