// Tries: to overflow a comparison of numbers by exponents that no type holds
// Control: yes
// Problem: roots
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 64; i++)
        puts("1e99999999999999999999");
    return 0;
}
