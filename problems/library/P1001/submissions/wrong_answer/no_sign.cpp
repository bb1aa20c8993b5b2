// A fast reader that skips the minus sign.
#include <cstdio>

long long read() {
    int c = getchar();
    while (c < '0' || c > '9') c = getchar();
    long long x = 0;
    for (; c >= '0' && c <= '9'; c = getchar()) x = x * 10 + (c - '0');
    return x;
}

int main() {
    long long a = read(), b = read();
    printf("%lld\n", a + b);
}
