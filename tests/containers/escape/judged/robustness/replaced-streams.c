// Tries: to confuse the judge by joining its streams: writes to its input, reads its output, swaps them
// Control: no, a plain judge bears it
// Problem: sum
// Verdict: WA RE
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char byte;
    int flags = fcntl(1, F_GETFL);
    if (write(0, "0\n", 2) > 0 || read(1, &byte, 1) > 0)
        puts("ESCAPED a stream works the wrong way");
    fcntl(0, F_SETFL, O_NONBLOCK);
    fcntl(1, F_SETFL, flags | O_NONBLOCK | O_APPEND);
    fcntl(2, F_SETFL, O_ASYNC | O_NONBLOCK);
    dup2(1, 0);
    dup2(2, 1);
    puts("0");
    return 0;
}
