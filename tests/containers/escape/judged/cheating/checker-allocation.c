// Tries: to make a checker that believes a count allocate more than its limit
// Control: no, a plain judge has no checkers
// Problem: fragile
// Verdict: WA
#include <stdio.h>

int main(void)
{
    puts("100000000000");
    return 0;
}
