// Tries: to stall or crash the comparison with a number of a million digits, beyond the limits of many languages
// Control: yes
// Problem: roots
// Verdict: WA
#include <stdio.h>

int main(void)
{
    for (int number = 0; number < 8; number++) {
        for (int i = 0; i < 1000000; i++)
            putchar('0' + i % 10);
        putchar('\n');
    }
    return 0;
}
