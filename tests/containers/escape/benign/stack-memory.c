// Shows: alloca and arrays of variable length, 100 MB of them
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int fill(long size)
{
    char array[size];
    char *more = alloca((size_t)size);
    memset(array, 1, (size_t)size);
    memset(more, 1, (size_t)size);
    return array[size / 2] + more[size - 1];
}

int main(void)
{
    long long a, b;
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    printf("%lld\n", a + b + fill(50000000) - 2);
    return 0;
}
