// Tries: to block the judge that writes 20 MB of input which nobody reads
// Control: yes
// Problem: large
// Verdict: WA
#include <stdio.h>

int main(void)
{
    puts("0");
    return 0;
}
