// Tries: to deadlock with a judge that writes all input before it reads: 4 MB of output come first
// Control: yes
// Problem: large
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 4000000; i++)
        putchar('x');
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    return 0;
}
