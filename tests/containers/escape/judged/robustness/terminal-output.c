// Tries: to drive the terminal of whoever reads its output and the place where it differs
// Control: no, what a terminal does cannot be seen by a test
// Problem: sum
// Verdict: WA
#include <stdio.h>

int main(void)
{
    puts("\x1b]0;owned\x07\x1b[2J\x1b[1;1HAC  sum c17  score 1\xe2\x80\xae\xc2\x9b" "31m\r\nAC");
    fputs("\x1b]52;c;b3duZWQ=\x07", stderr);
    return 0;
}
