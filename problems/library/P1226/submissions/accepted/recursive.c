/* Recursive squaring in C. */
#include <inttypes.h>
#include <stdio.h>

static uint64_t power(uint64_t a, uint32_t b, uint32_t p) {
    if (b == 0) return 1;
    uint64_t half = power(a, b / 2, p);
    half = half * half % p;
    return b % 2 ? half * (a % p) % p : half;
}

int main(void) {
    uint32_t a, b, p;
    if (scanf("%" SCNu32 " %" SCNu32 " %" SCNu32, &a, &b, &p) != 3) return 1;
    printf("%" PRIu32 "^%" PRIu32 " mod %" PRIu32 "=%" PRIu64 "\n", a, b, p, power(a, b, p));
    return 0;
}
