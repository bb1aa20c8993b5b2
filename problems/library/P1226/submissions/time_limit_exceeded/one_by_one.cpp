// Multiplies b times.
#include <cstdio>

int main() {
    unsigned long long a, b, p, result = 1;
    scanf("%llu %llu %llu", &a, &b, &p);
    for (unsigned long long i = 0; i < b; i++) result = result * a % p;
    printf("%llu^%llu mod %llu=%llu\n", a, b, p, result);
}
