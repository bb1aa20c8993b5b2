// Tries: to print the right numbers and then more
// Control: yes
// Problem: roots
// Verdict: WA
#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    int n;
    double x;
    if (scanf("%d", &n) != 1)
        return 1;
    while (n-- > 0 && scanf("%lf", &x) == 1)
        {
        printf("%.9f\n", sqrt(x));
        if (n == 0)
            puts("1 2 3 and so on");
    }
    return 0;
}
