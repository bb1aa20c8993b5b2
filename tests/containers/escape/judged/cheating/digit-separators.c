// Tries: to pass numbers with separators, which some languages read
// Control: no, it is right only where the answer is 10
// Problem: roots
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 64; i++)
        puts("1_0.0_0");
    return 0;
}
