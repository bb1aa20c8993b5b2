// Tries: to pass digits of another script, which some languages read as numbers
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
        char text[64];
        snprintf(text, sizeof text, "%.9f", sqrt(x));
        for (const char *at = text; *at != 0; at++)
            if (*at == 46)
                putchar(46);
            else
                printf("\xd9%c", 0xa0 + *at - 48); /* Arabic-Indic */
        putchar(10);
    }
    return 0;
}
