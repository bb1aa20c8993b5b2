// Tries: to print right lines over wrong ones, as a terminal would show them
// Control: no, no comparison is known to read backspaces
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
        printf("0.0\b\b\b%.9f\r%.9f\n", sqrt(x), sqrt(x) + 1);
    return 0;
}
