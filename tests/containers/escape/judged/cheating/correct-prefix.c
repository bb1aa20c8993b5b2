// Tries: to be judged on a correct beginning: it prints the first words and ends well
// Control: yes
// Problem: words
// Verdict: WA
#include <stdio.h>

int main(void)
{
    fputs("w0\nw1x\n", stdout);
    return 0;
}
