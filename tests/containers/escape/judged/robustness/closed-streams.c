// Tries: to confuse the judge by closing all three streams, and by opening others in their place
// Control: no, a plain judge bears it
// Problem: sum
// Verdict: WA
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    close(0);
    close(1);
    close(2);
    open("a", O_RDWR | O_CREAT, 0600);
    open("b", O_RDWR | O_CREAT, 0600);
    open("c", O_RDWR | O_CREAT, 0600);
    return puts("0") < 0;
}
