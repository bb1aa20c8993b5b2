// Shows: freopen of the standard streams to files, as solutions for file input do
#include <stdio.h>

int main(void)
{
    long long a, b;
    freopen("sum.in", "r", stdin);
    freopen("sum.out", "w", stdout);
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    printf("%lld\n", a + b);
    fclose(stdin);
    fclose(stdout);
    return 0;
}
