// Tries: to overflow a checker that reads words, by one line of 10 MB
// Control: no, a plain judge has no checkers
// Problem: derangement
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 10000000; i++)
        putchar(49);
    return 0;
}
