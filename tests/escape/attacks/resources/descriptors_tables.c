// Tries: more descriptors than a run may have, by threads that each have a table of their own
// Control: yes
// Limits: files=20 cpu=2s
// Bound: 64 descriptors

#include <attack.h>
#include <sched.h>
#include <sys/syscall.h>

static char stacks[30][16384] __attribute__((aligned(16)));
static int count = 3;

static int hoard(void *unused)
{
    (void)unused;
    while (count < 1000 && dup(0) >= 0)
        __sync_add_and_fetch(&count, 1);
    for (;;)
        syscall(SYS_nanosleep, (long[]){10, 0}, NULL);
}

int main(void)
{
    for (int i = 0; i < 30; i++)
        if (clone(hoard, stacks[i] + sizeof stacks[i], CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD, NULL) < 0) {
            refused("clone");
            break;
        }
    usleep(200000);
    got(count, "descriptors");
    syscall(SYS_exit_group, 0);
}
