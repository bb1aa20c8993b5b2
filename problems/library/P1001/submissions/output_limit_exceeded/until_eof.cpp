// scanf returns EOF, which is -1 and so "true", at the end of the input.
#include <cstdio>

int main() {
    long long a, b;
    while (scanf("%lld%lld", &a, &b)) printf("%lld\n", a + b);
}
