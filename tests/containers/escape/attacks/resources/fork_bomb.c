// Tries: start processes with fork until none can be had, each of which does the same
// Control: yes
// Bound: 1 processes

#include <attack.h>
#include <sys/mman.h>

int main(void)
{
    int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *count = 1;
    for (int tries = 0; tries < 200; tries++) {
        pid_t child = fork();
        if (child < 0) {
            refused("fork");
            break;
        }
        if (child == 0)
            got(__sync_add_and_fetch(count, 1), "processes");
    }
}
