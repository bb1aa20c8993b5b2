// Tries: to leave zombies and orphans: forks twice, waits for none
// Control: yes
// Problem: sum
// Verdict: WA
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int made = 0;
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (fork() == 0)
                sleep(1);
            _exit(0);
        }
        made += child > 0;
    }
    if (made > 0)
        puts("ESCAPED it has children");
    return 0;
}
