// Tries: makes its calls by other ways into the kernel: 32-bit, x32, vsyscall, and arguments with high bits
// Control: yes
// Expect: exited signalled
#include "calls.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#ifdef __x86_64__
static long old_entry(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(a), "c"(b), "d"(c)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}

static void old_entries(void)
{
    /* The old numbers: 20 getpid, 5 open, 26 ptrace, 102 socketcall, 122 uname, 88 reboot, 136 personality. */
    static const long numbers[] = {20, 26, 102, 122, 136, 120, 37, 310};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        long result = old_entry(numbers[i], -1, 0, 0);
        if (result == -ENOSYS || result == -EPERM)
            held("32-bit call %ld", numbers[i]);
        else
            escaped("32-bit call %ld gave %ld", numbers[i], result);
    }
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    const char *path = canary("file");
    if (low == MAP_FAILED)
        return;
    snprintf(low, 4096, "%s", path);
    long fd = old_entry(5, (long)low, O_RDONLY, 0);
    if (fd >= 0 && read((int)fd, low, 80) > 0)
        escaped("32-bit open: %.80s", low);
    else
        held("32-bit open");
}

static void x32(void)
{
    static const long numbers[] = {SYS_getpid,         SYS_socket, SYS_ptrace, 521 /* ptrace there */,
                                   517 /* recvfrom */, SYS_open};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (syscall(0x40000000 | numbers[i], -1, -1, -1) != -1 || (errno != ENOSYS && errno != EPERM))
            escaped("x32 call %ld gave %s", numbers[i], strerrorname_np(errno));
        else
            held("x32 call %ld", numbers[i]);
}
#endif

/* The kernel looks at 32 bits of these; a filter must not be fooled by the others. */
static void high_bits(void)
{
    const long high = 1l << 32;
    REACH(SYS_prctl, PR_SET_DUMPABLE | high, 0);
    REACH(SYS_fcntl, 0, F_SETLK | high, NULL);
    REACH(SYS_kill, watcher() | high, 0);
    REACH(SYS_unshare, CLONE_NEWUTS | high);
    REACH(SYS_clone, CLONE_NEWUSER | high | SIGCHLD | CLONE_FS, NULL, NULL, NULL, NULL);
    REACH(SYS_socket, 1 | high, 1, 0);
    REACH(SYS_socket | high, 1, 1, 0);
    REACH(SYS_personality, 0x0040000 | high);
}

int main(void)
{
    high_bits();
#ifdef __x86_64__ /* last: some walls kill for these */
    x32();
    old_entries();
#endif
}
