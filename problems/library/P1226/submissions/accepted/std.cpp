// Repeated squaring.
#include <cstdio>

int main() {
    long long a, b, p;
    scanf("%lld %lld %lld", &a, &b, &p);
    long long result = 1, square = a % p;
    for (long long k = b; k > 0; k /= 2) {
        if (k % 2 == 1) result = result * square % p;
        square = square * square % p;
    }
    printf("%lld^%lld mod %lld=%lld\n", a, b, p, result);
}
