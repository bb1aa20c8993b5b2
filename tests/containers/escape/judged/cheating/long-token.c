// Tries: to stall or crash the comparison and its report with a token of 10 MB that is nearly a number
// Control: yes
// Problem: roots
// Verdict: WA
#include <stdio.h>

int main(void)
{
    fputs("1.", stdout);
    for (int i = 0; i < 10000000; i++)
        putchar('0');
    puts("\xff");
    return 0;
}
