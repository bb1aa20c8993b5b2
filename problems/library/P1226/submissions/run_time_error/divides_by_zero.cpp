// Splits the power at the square root of b, and divides by that: there is none for b = 0.
#include <cmath>
#include <cstdio>
#include <stdexcept>

long long power(long long a, long long b, long long p) {
    long long result = 1 % p;
    while (b--) result = result * a % p;
    return result;
}

int main() {
    long long a, b, p;
    scanf("%lld %lld %lld", &a, &b, &p);
    long long step = std::sqrt(b);
    if (step == 0) throw std::domain_error("division by zero");
    long long giant = power(a % p, step, p);
    printf("%lld^%lld mod %lld=%lld\n", a, b, p, power(giant, b / step, p) * power(a % p, b % step, p) % p);
}
