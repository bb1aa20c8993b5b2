// Tries: to wrap the numbers of a checker: 2^32 + 1, 2^64 + 1, signs, leading zeros
// Control: no, a plain judge has no checkers
// Problem: derangement
// Verdict: WA
#include <stdio.h>

int main(void)
{
    puts("4294967298 18446744073709551617 -1 +2 0x3 007");
    return 0;
}
