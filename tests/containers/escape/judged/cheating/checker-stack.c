// Tries: to make a checker that recurses on brackets overflow its stack
// Control: no, a plain judge has no checkers
// Problem: fragile
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 4000000; i++)
        putchar(40);
    return 0;
}
