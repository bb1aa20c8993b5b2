// Tries: signals to a neighbour through the times of files that both can open: by reading, writing and setting them
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

static void pause_ms(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

static bool moved(struct timespec a, struct timespec b) { return a.tv_sec != b.tv_sec || a.tv_nsec != b.tv_nsec; }

/* Does another reader see that this one has read? */
static void read_it(const char *name, int fd)
{
    struct stat before, after;
    char byte;
    if (fd < 0) {
        refused(name);
        return;
    }
    for (int round = 0; round < 2; round++) {
        fstat(fd, &before);
        pause_ms(12); /* longer than a tick */
        if (pread(fd, &byte, 1, 0) < 0)
            refused(name);
        void *at = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
        if (at != MAP_FAILED)
            munmap(at, 1);
        fstat(fd, &after);
        if (moved(before.st_atim, after.st_atim))
            escaped("reading %s shows in its time of access", name);
        else
            held("reading %s leaves its times as they are", name);
    }
}

static void set_it(const char *name, int fd, const char *path)
{
    const struct timespec times[2] = {{1, 0}, {2, 0}};
    char what[128];
    snprintf(what, sizeof what, "set the times of %s", name);
    if (futimens(fd, times) == 0 || futimens(fd, NULL) == 0)
        escaped("%s by descriptor", what);
    else
        refused(what);
    if (path != NULL && (utimensat(AT_FDCWD, path, times, 0) == 0 || utimes(path, NULL) == 0))
        escaped("%s by path", what);
    else
        refused(what);
}

int main(void)
{
    int own = open("/proc/self/exe", O_RDONLY);
    read_it("the input", 0);
    if (own >= 0 && find_canary("sentry") == NULL) /* gVisor's is a copy for this run alone */
        read_it("its executable", own);
    set_it("the input", 0, "/proc/self/fd/0");
    set_it("its executable", own, "/proc/self/exe");
    set_it("a device", open("/dev/null", O_RDWR), "/dev/null");
    set_it("a program of the view", open("/usr/bin/env", O_RDONLY), "/usr/bin/env");
    set_it("the judge's file", open(canary("writable"), O_PATH), canary("writable"));
}
