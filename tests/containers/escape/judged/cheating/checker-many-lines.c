// Tries: to stall a checker by 10 MB of blank lines
// Control: no, a plain judge has no checkers
// Problem: derangement
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 10000000; i++)
        putchar(10);
    return 0;
}
