// Shows: a static array of 4 GB of which little is touched
// Except: runsc, where memory comes in pieces of 2 MiB
#include <stdio.h>

static int table[1 << 30];

int main(void)
{
    long long a, b;
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    for (long i = 0; i < 1000; i++)
        table[i * 1000000] = 1;
    printf("%lld\n", a + b + table[1000000] - 1);
    return 0;
}
