// Tries: to match every number with infinity, within any relative tolerance
// Control: yes
// Problem: roots
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 64; i++)
        puts("inf");
    return 0;
}
