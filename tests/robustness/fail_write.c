/* A disk that fails: preloaded into a process, it counts the calls that change files below some directories, and fails
 * the one whose number it is told. tests/robustness/faults.py builds and uses it.
 *
 *   FAIL_BELOW    the directories, joined by ':'
 *   FAIL_STATE    a file of 8 bytes that holds the count; all processes that inherit this environment share it
 *   FAIL_AT       number of the call that fails, from 1; 0 or absent: none does
 *   FAIL_ERRNO    with what
 *   FAIL_STAY     1: every later call fails, too, as on a disk that stays full
 *   FAIL_LOG      a file to which "NUMBER CALL PATH" is appended for each call
 *
 * A statically linked program (the launcher) and what runs in a sandbox, whose environment is empty, do not load it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic uint64_t *state;
static const char *below, *log_path;
static uint64_t fail_at;
static int fail_errno;
static bool fail_stays;

__attribute__((constructor)) static void prepare(void)
{
    const char *file = getenv("FAIL_STATE"), *at = getenv("FAIL_AT"), *number = getenv("FAIL_ERRNO");
    below = getenv("FAIL_BELOW");
    log_path = getenv("FAIL_LOG");
    fail_at = at != NULL ? strtoull(at, NULL, 10) : 0;
    fail_errno = number != NULL ? atoi(number) : EIO;
    fail_stays = getenv("FAIL_STAY") != NULL && atoi(getenv("FAIL_STAY")) != 0;
    int fd = file != NULL ? (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC) : -1;
    void *map = fd >= 0 ? mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    state = map != MAP_FAILED ? map : NULL;
}

static bool is_below(const char *path)
{
    for (const char *directory = below; directory != NULL && *directory != '\0';) {
        size_t length = strcspn(directory, ":");
        if (strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0'))
            return true;
        directory += length + (directory[length] == ':');
    }
    return false;
}

static void note(uint64_t number, const char *call, const char *path)
{
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%llu %s %s\n", (unsigned long long)number, call, path);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) {
        syscall(SYS_write, fd, line, (size_t)length);
        syscall(SYS_close, fd);
    }
}

/* Whether this call is to fail; errno is set then, else kept. */
static bool fails(const char *call, const char *path)
{
    if (state == NULL || !is_below(path))
        return false;
    int before = errno;
    uint64_t number = atomic_fetch_add(state, 1) + 1;
    if (log_path != NULL)
        note(number, call, path);
    bool now = fail_at != 0 && (number == fail_at || (fail_stays && number > fail_at));
    errno = now ? fail_errno : before;
    return now;
}

static bool fails_fd(const char *call, int fd)
{
    char link[64], path[PATH_MAX];
    if (state == NULL)
        return false;
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = before;
    if (length < 0)
        return false;
    path[length] = '\0';
    return fails(call, path);
}

static bool fails_at(const char *call, int directory, const char *name)
{
    char link[64], path[2 * PATH_MAX];
    if (state == NULL || name == NULL)
        return false;
    if (name[0] == '/')
        return fails(call, name);
    int before = errno;
    snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    errno = before;
    if (length < 0)
        return false;
    snprintf(path + length, sizeof path - (size_t)length, "/%s", name);
    return fails(call, path);
}

#define NEXT(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

#define OPEN(name, ...)                                                                                                \
    int name(__VA_ARGS__ OPEN_PATH, int flags, ...)                                                                    \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;                                      \
        va_end(list);                                                                                                  \
        if (flags & (O_CREAT | O_TRUNC) && fails_at("open", OPEN_AT, path))                                            \
            return -1;                                                                                                 \
        return OPEN_CALL(#name);                                                                                       \
    }

#define OPEN_PATH const char *path
#define OPEN_AT AT_FDCWD
#define OPEN_CALL(name) NEXT(int, name, const char *, int, ...)(path, flags, mode)
OPEN(open)
OPEN(open64)
#undef OPEN_AT
#undef OPEN_CALL
#define COMMA ,
#define OPEN_AT directory
#define OPEN_CALL(name) NEXT(int, name, int, const char *, int, ...)(directory, path, flags, mode)
OPEN(openat, int directory COMMA)
OPEN(openat64, int directory COMMA)

ssize_t write(int fd, const void *data, size_t size)
{
    return fails_fd("write", fd) ? -1 : NEXT(ssize_t, "write", int, const void *, size_t)(fd, data, size);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    return fails_fd("write", fd) ? -1 : NEXT(ssize_t, "writev", int, const struct iovec *, int)(fd, parts, count);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    return fails_fd("write", fd)
               ? -1
               : NEXT(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(fd, data, size, offset);
}

int ftruncate64(int fd, off64_t size)
{
    return fails_fd("ftruncate", fd) ? -1 : NEXT(int, "ftruncate64", int, off64_t)(fd, size);
}

int fsync(int fd) { return fails_fd("fsync", fd) ? -1 : NEXT(int, "fsync", int)(fd); }

int fdatasync(int fd) { return fails_fd("fsync", fd) ? -1 : NEXT(int, "fdatasync", int)(fd); }

int fchmod(int fd, mode_t mode) { return fails_fd("chmod", fd) ? -1 : NEXT(int, "fchmod", int, mode_t)(fd, mode); }

int mkdir(const char *path, mode_t mode)
{
    return fails_at("mkdir", AT_FDCWD, path) ? -1 : NEXT(int, "mkdir", const char *, mode_t)(path, mode);
}

int mkdirat(int directory, const char *path, mode_t mode)
{
    return fails_at("mkdir", directory, path) ? -1
                                              : NEXT(int, "mkdirat", int, const char *, mode_t)(directory, path, mode);
}

int rename(const char *old, const char *new)
{
    return fails_at("rename", AT_FDCWD, new) ? -1 : NEXT(int, "rename", const char *, const char *)(old, new);
}

int renameat(int from, const char *old, int to, const char *new)
{
    return fails_at("rename", to, new)
               ? -1
               : NEXT(int, "renameat", int, const char *, int, const char *)(from, old, to, new);
}
