// Tries: reaches the judge's process: signals, limits, memory, descriptors, where it is and what it has open
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

int main(void)
{
    pid_t judge = (pid_t)canary_number("pid");
    struct rlimit limit;
    char path[64], to[256];
    void *head;
    size_t size;
    TRY(kill(judge, 0));
    TRY(prlimit(judge, RLIMIT_NOFILE, NULL, &limit));
    TRY(syscall(SYS_pidfd_open, judge, 0));
    TRY(syscall(SYS_get_robust_list, judge, &head, &size));
    static const char *const links[] = {"cwd", "exe", "root", "fd/0"};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", (int)judge, links[i]);
        TRY(readlink(path, to, sizeof to));
    }
    snprintf(path, sizeof path, "/proc/%d/cwd", (int)judge);
    TRY(chdir(path));
    static const char *const parts[] = {"mem", "maps", "fd/0"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", (int)judge, parts[i]);
        TRY(open(path, O_RDONLY));
    }
    return 0;
}
