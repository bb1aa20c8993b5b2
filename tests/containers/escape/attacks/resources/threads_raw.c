// Tries: threads without a C library, with stacks of a page, which make more threads
// Control: yes
// Limits: wall=1s
// Expect: exited wall signalled cpu
// Bound: 128 threads

#include <attack.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static int count = 1;
static int thread(void *unused);

static int start(void)
{
    char *stack = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return clone(thread, stack + 16384,
                 CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL);
}

static int thread(void *unused)
{
    (void)unused;
    got(__sync_add_and_fetch(&count, 1), "threads");
    while (start() >= 0)
        ;
    for (;;)
        syscall(SYS_nanosleep, (long[]){10, 0}, NULL);
}

int main(void)
{
    got(1, "threads"); // what it finds out the first time needs memory of the C library, which these threads would share
    while (start() >= 0)
        ;
    refused("clone");
    sleep(1);
    syscall(SYS_exit_group, 0);
}
