// Tries: to wait for ever on a pipe of its own that nobody opens
// Control: no, a plain judge kills it at its time-out
// Problem: sum
// Verdict: WA TLE
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte;
    if (mkfifo("fifo", 0600) == 0)
        open("fifo", O_RDONLY);
    if (pipe(ends) == 0 && read(ends[0], &byte, 1) == 1)
        puts("1");
    return 0;
}
