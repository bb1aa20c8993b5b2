// Tries: to make a checker that believes a count run out of time
// Control: no, a plain judge has no checkers
// Problem: fragile
// Verdict: WA
#include <stdio.h>

int main(void)
{
    puts("3000000");
    return 0;
}
