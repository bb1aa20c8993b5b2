// Tries: to match every number with NaN
// Control: yes
// Problem: roots
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 64; i++)
        puts(i % 2 ? "nan" : "-NaN");
    return 0;
}
