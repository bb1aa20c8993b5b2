// Tries: to hide what follows a right number behind a NUL byte
// Control: no, it aims at comparisons of C strings
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
        printf("%.9f", sqrt(x));
        fwrite("\0 1 2 3\n", 1, 8, stdout);
    }
    return 0;
}
