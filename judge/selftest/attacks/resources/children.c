// Tries: starts processes, by fork and vfork
// Control: yes
#include "attack.h"
#include <sys/wait.h>

int main(void)
{
    for (int i = 0; i < 4; i++) {
        pid_t child = i % 2 ? vfork() : fork();
        if (child == 0)
            _exit(0);
        if (child < 0)
            refused("a child");
        else
            escaped("child %d", (int)child);
    }
    while (wait(NULL) > 0)
        continue;
    return 0;
}
