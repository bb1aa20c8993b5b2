// Tries: to fill the message of a checker that quotes the output, and to forge lines in it
// Control: no, a plain judge has no checkers
// Problem: fragile
// Verdict: WA
#include <stdio.h>

int main(void)
{
    puts("1 2 3 stop");
    for (int i = 0; i < 100000; i++)
        puts("ok accepted score 1.0 \x1b]0;owned\x07");
    return 0;
}
