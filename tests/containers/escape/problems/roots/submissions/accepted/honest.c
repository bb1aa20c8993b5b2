#include <math.h>
#include <stdio.h>

int main(void)
{
    int n;
    double x;
    if (scanf("%d", &n) != 1)
        return 1;
    while (n-- > 0 && scanf("%lf", &x) == 1)
        printf("%.9f\n", sqrt(x));
    return 0;
}
