// Tries: to outlive its time by ignoring every signal that can be ignored
// Control: yes
// Problem: sum
// Verdict: TLE
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

int main(void)
{
    for (int number = 1; number < 65; number++)
        signal(number, SIG_IGN);
    for (;;)
        pause();
}
