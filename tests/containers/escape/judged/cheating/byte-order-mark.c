// Tries: to change the encoding of the output by a byte order mark
// Control: no, a plain comparison fails on it too
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
        if (n == 1 || n == 0)
            fputs("\xef\xbb\xbf", stdout);
        printf("%.9f\n", sqrt(x));
    }
    return 0;
}
