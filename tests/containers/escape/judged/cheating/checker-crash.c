// Tries: to make a checker fail on missing numbers
// Control: no, a plain judge has no checkers
// Problem: fragile
// Verdict: WA
#include <stdio.h>

int main(void)
{
    puts("2");
    return 0;
}
