// Shows: 50 MB of input by scanf
// Problem: column
#include <stdio.h>

int main(void)
{
    long long value, sum = 0;
    while (scanf("%lld", &value) == 1)
        sum += value;
    printf("%lld\n", sum);
    return 0;
}
