// Tries: to overflow a comparison of numbers
// Control: yes
// Problem: roots
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 64; i++)
        puts("1e400");
    return 0;
}
