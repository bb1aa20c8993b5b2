// Tries: takes three times the memory that it may have
// Control: yes
// Limits: memory=64M
// Expect: memory signalled exited
// Bound: 80 MiB
#include "attack.h"

int main(void)
{
    for (int taken = 0; taken < 192; taken++) {
        char *more = malloc(1 << 20);
        if (more == NULL) {
            refused("malloc");
            return 1;
        }
        memset(more, 1, 1 << 20);
        got(taken + 1, "MiB");
    }
    return 0;
}
