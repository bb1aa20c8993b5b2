// Tries: to make the comparison hold millions of tokens, of which the first ones are right
// Control: no, it aims at memory
// Problem: words
// Verdict: WA
#include <stdio.h>

int main(void)
{
    int n, k;
    if (scanf("%d", &n) != 1)
        return 1;
    for (k = 0; k < n; k++)
        printf("w%d%.*s\n", k, k * k % 7, "xxxxxx");
    for (k = 0; k < 8000000; k++)
        fputs("w ", stdout);
    return 0;
}
