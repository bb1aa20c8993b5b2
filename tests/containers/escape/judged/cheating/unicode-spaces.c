// Tries: to separate right numbers by white space of Unicode, or by control characters that Python splits at
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
        printf("%.9f%s", sqrt(x), n % 2 ? "\xc2\xa0" : "\x1c");
    return 0;
}
