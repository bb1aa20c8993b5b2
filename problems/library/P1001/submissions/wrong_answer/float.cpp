// A float holds 24 bits: 16777216 + 1 is lost.
#include <cstdio>

int main() {
    float a, b;
    if (scanf("%f%f", &a, &b) != 2) return 1;
    printf("%.0f\n", a + b);
}
