/* The right answer, but main returns what printf returned. */
#include <stdio.h>

int main(void) {
    long long a, b;
    if (scanf("%lld%lld", &a, &b) != 2) return 1;
    return printf("%lld\n", a + b);
}
