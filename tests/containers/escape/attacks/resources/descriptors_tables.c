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
    syscall(SYS_close_range, ~0u, ~0u, 2 /* CLOSE_RANGE_UNSHARE */);
    while (count < 1000 && dup(0) >= 0)
        __sync_add_and_fetch(&count, 1);
    for (;;)
        syscall(SYS_nanosleep, (long[]){10, 0}, NULL);
}

int main(void)
{
    const int apart = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD;
    for (int i = 0; i < 30; i++) {
        char *stack = stacks[i] + sizeof stacks[i];
        if ((i % 2 != 0 || clone(hoard, stack, apart, NULL) < 0) && clone(hoard, stack, apart | CLONE_FILES, NULL) < 0) {
            refused("clone");
            break;
        }
    }
    usleep(200000);
    got(count, "descriptors");
    syscall(SYS_exit_group, 0);
}
