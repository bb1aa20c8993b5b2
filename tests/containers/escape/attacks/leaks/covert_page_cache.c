// Tries: sees which files others have read, and makes the machine forget them: what of shared files is in memory
// Control: yes
#include "calls.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define NOWAIT 8 /* RWF_NOWAIT */

/* A file that everybody uses: is its last page in memory? */
static void attack(const char *path)
{
    static char block[4096];
    const struct iovec part = {block, sizeof block};
    char what[128];
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
        refused(path);
        return;
    }
    off_t at = lseek(fd, 0, SEEK_END) & ~4095L;
    snprintf(what, sizeof what, "preadv2 without waiting on %s", path);
    if (preadv2(fd, &part, 1, at, NOWAIT) >= 0 || errno == EAGAIN)
        escaped("%s", what);
    else
        refused(what);
    uint64_t range[2] = {0, (uint64_t)at}, counts[5];
    snprintf(what, sizeof what, "cachestat of %s", path);
    reach(what, syscall(CALL_cachestat, fd, range, counts, 0));
    errno = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    snprintf(what, sizeof what, "drop %s from memory", path);
    if (errno == 0)
        escaped("%s", what);
    else
        refused(what);
    close(fd);
}

int main(void)
{
    attack("/usr/bin/env");
    attack("/etc/ld.so.cache");
    attack("/proc/self/fd/0");
    attack(canary("file"));
}
