// Tries: to break the judge's pipe: closes its input with 20 MB still to be written, and goes on
// Control: yes
// Problem: large
// Verdict: WA
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    close(0);
    usleep(100000);
    puts("0");
    return 0;
}
