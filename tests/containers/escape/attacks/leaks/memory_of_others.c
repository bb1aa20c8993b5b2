// Tries: reads the memory of a neighbour's program, of the judge and of the stub, by every call that can
// Control: yes
#include "calls.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

static const char *marker;

/* Through /proc/<pid>/mem or process_vm_readv: whatever maps tells of. */
static void read_all(long pid, bool vm)
{
    char name[64], line[512];
    static char block[1 << 16];
    snprintf(name, sizeof name, "/proc/%ld/maps", pid);
    FILE *maps = fopen(name, "r");
    snprintf(name, sizeof name, "/proc/%ld/mem", pid);
    int memory = vm ? -1 : open(name, O_RDONLY);
    if (maps == NULL || (!vm && memory < 0)) {
        refused(name);
        return;
    }
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx rw", &from, &to) != 2 || (!strstr(line, "[heap]") && !strstr(line, "[stack]")))
            continue;
        for (; from < to; from += sizeof block) {
            struct iovec here = {block, sizeof block}, there = {(void *)from, sizeof block};
            ssize_t got = vm ? process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0)
                             : pread(memory, block, sizeof block, (off_t)from);
            for (ssize_t i = 0; i + 60 < got; i++)
                if (memcmp(block + i, marker, strlen(marker)) == 0)
                    escaped("memory of %ld: %.60s", pid, block + i);
        }
    }
    fclose(maps);
}

static void attack(long pid)
{
    char byte;
    struct iovec here = {&byte, 1}, nowhere = {NULL, 1};
    read_all(pid, false);
    read_all(pid, true);
    reach("process_vm_readv", process_vm_readv((pid_t)pid, &here, 1, &nowhere, 1, 0));
    reach("process_vm_writev", process_vm_writev((pid_t)pid, &here, 1, &nowhere, 1, 0));
    int handle = (int)syscall(SYS_pidfd_open, pid, 0);
    reach("pidfd_open", handle);
    for (int fd = 0; fd < 5; fd++)
        reach("pidfd_getfd", syscall(SYS_pidfd_getfd, handle, fd, 0));
    REACH(CALL_process_madvise, handle, &nowhere, 1, MADV_COLD, 0);
    REACH(CALL_process_mrelease, handle, 0);
    REACH(SYS_kcmp, getpid(), pid, 0 /* KCMP_FILE */, 0, 0);
}

int main(void)
{
    marker = canary("secret-marker");
    attack(canary_number("neighbour"));
    attack(canary_number("pid"));
    attack(watcher());
}
