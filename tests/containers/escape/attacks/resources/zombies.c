// Tries: pile up zombies, which nobody waits for, where processes are allowed
// Control: yes
// Limits: processes=16 threads=16 cpu=1s wall=2s
// Expect: exited wall
// Bound: 64 zombies

#include <attack.h>

int main(void)
{
    for (long count = 1; count < 300; count++) {
        pid_t child = fork();
        if (child < 0)
            break;
        if (child == 0)
            _exit(0);
        got(count, "zombies");
    }
    refused("fork");
}
