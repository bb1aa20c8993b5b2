/* Where the kernel has no Landlock and grants no mount, the listener looks at every path that is opened or changed.
 *
 * The caller waits meanwhile, and the kernel reads the path again when we let it go on. In between nobody can change it:
 * the caller has no other thread (stub.c refuses once it has), nothing else shares its memory, and whatever would write
 * to it from outside (io_uring, userfaultfd, process_vm_writev, /proc/…/mem) is refused. Both looks find the same file:
 * same root, same working directory, same user. What would not be the same, the magic links of /proc, is refused. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher.h"

/* How a call names a file: numbers of its arguments. */
struct use {
    int call;
    int directory, name; /* directory -1: the working directory */
    int flags;           /* of an open; -1: the name's directory is changed; -2: the file, through links */
};
#define DIRECTORY (-1)
#define CONTENT (-2)
static const struct use uses[] = {
    {SYS_openat, 0, 1, 2},
    {SYS_unlinkat, 0, 1, DIRECTORY},
    {SYS_mkdirat, 0, 1, DIRECTORY},
    {SYS_renameat, 0, 1, DIRECTORY},
    {SYS_renameat, 2, 3, DIRECTORY},
    {SYS_renameat2, 0, 1, DIRECTORY},
    {SYS_linkat, 0, 1, DIRECTORY},
    {SYS_renameat2, 2, 3, DIRECTORY},
    {SYS_linkat, 2, 3, DIRECTORY},
    {SYS_truncate, -1, 0, CONTENT},
    {SYS_symlinkat, 1, 2, DIRECTORY},
#if defined(__x86_64__)
    {SYS_open, -1, 0, 1},
    {SYS_creat, -1, 0, CONTENT},
    {SYS_unlink, -1, 0, DIRECTORY},
    {SYS_rmdir, -1, 0, DIRECTORY},
    {SYS_mkdir, -1, 0, DIRECTORY},
    {SYS_rename, -1, 0, DIRECTORY},
    {SYS_rename, -1, 1, DIRECTORY},
    {SYS_link, -1, 0, DIRECTORY},
    {SYS_link, -1, 1, DIRECTORY},
    {SYS_symlink, -1, 1, DIRECTORY},
#endif
};

static bool changes(const struct use *use, const unsigned long long *arguments)
{
    if (use->flags < 0)
        return true;
    return (arguments[use->flags] & O_ACCMODE) != O_RDONLY || arguments[use->flags] & (O_CREAT | O_TRUNC);
}

bool creates(int call, const unsigned long long *arguments)
{
    switch (call) {
    case SYS_openat: return arguments[2] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
    case SYS_unlinkat:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_truncate: return false;
#if defined(__x86_64__)
    case SYS_open: return arguments[1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
    case SYS_unlink:
    case SYS_rmdir:
    case SYS_rename: return false;
#endif
    default: return true;
    }
}

/* The caller's memory and descriptors are open to its own user, and to whom has its ids for the file system. With a
 * change of ids the kernel forgets that we die with the launcher, and may make us dumpable. */
void become(const struct slot *slot, bool caller)
{
    if (!(slot->layers & LAYER_UID))
        return;
    setfsgid(caller ? slot->gid : 0);
    setfsuid(caller ? slot->uid : 0);
    if (!caller &&
        (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != slot->launcher))
        _exit(2);
}

static int open_of(const struct slot *slot, pid_t caller, const char *what, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "%d/%s", caller, what);
    return openat(slot->host_proc, path, flags | O_CLOEXEC);
}

static int read_name(const struct slot *slot, pid_t caller, uint64_t address, char *out)
{
    int fd = open_of(slot, caller, "mem", O_RDONLY);
    if (fd < 0)
        return EACCES;
    ssize_t got = pread(fd, out, PATH_MAX, (off_t)address);
    close(fd);
    if (got <= 0)
        return EFAULT;
    return memchr(out, '\0', (size_t)got) != NULL ? 0 : ENAMETOOLONG;
}

/* The directory that a relative name begins at. */
static int open_base(const struct slot *slot, pid_t caller, int directory)
{
    char what[32];
    if (directory == AT_FDCWD)
        return open_of(slot, caller, "cwd", O_PATH);
    snprintf(what, sizeof what, "fd/%d", directory);
    return open_of(slot, caller, what, O_PATH);
}

/* Where a name leads to, after links. */
static int resolve(const struct slot *slot, int base, const char *name, char *out)
{
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    char link[32];
    int fd = (int)syscall(SYS_openat2, base, name, &how, sizeof how);
    if (fd < 0)
        return errno;
    snprintf(link, sizeof link, "self/fd/%d", fd);
    ssize_t length = readlinkat(slot->host_proc, link, out, PATH_MAX - 1);
    close(fd);
    if (length < 0)
        return EACCES;
    out[length] = '\0';
    return 0;
}

/* Where the directory is in which a name lies; `name` is left as its last part. */
static int resolve_directory(const struct slot *slot, int base, char **name, char *out)
{
    size_t length = strlen(*name);
    while (length > 1 && (*name)[length - 1] == '/')
        (*name)[--length] = '\0';
    char *slash = strrchr(*name, '/');
    if (slash == NULL)
        return resolve(slot, base, ".", out);
    char *last = slash + 1;
    if (slash == *name)
        return EACCES; /* in the root */
    *slash = '\0';
    int error = resolve(slot, base, *name, out);
    *name = last;
    return error;
}

static bool below(const char *path, const char *top)
{
    size_t length = strlen(top);
    return strncmp(path, top, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static bool in_view(const struct slot *slot, const char *path, bool change)
{
    for (uint32_t i = 0; i < slot->setup->fixed.views; i++) {
        const struct view_entry *entry = &slot->setup->views[i];
        bool at = strcmp(path, entry->source) == 0;
        if ((entry->kind == VIEW_HOME && below(path, entry->source)) || (entry->kind == VIEW_DEVICE && at) ||
            (!change && ((entry->kind == VIEW_BIND && below(path, entry->source)) || (entry->kind == VIEW_LIST && at))))
            return true;
    }
    return false;
}

/* Its own streams, by their usual names: what is behind them it has already. */
static bool is_stream(const char *name)
{
    static const char *const streams[] = {"/dev/stdin",      "/dev/stdout",     "/dev/stderr",
                                          "/dev/fd/0",       "/dev/fd/1",       "/dev/fd/2",
                                          "/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2"};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (strcmp(name, streams[i]) == 0)
            return true;
    return false;
}

static int vet_use(const struct slot *slot, pid_t caller, const struct use *use, const unsigned long long *arguments)
{
    char buffer[PATH_MAX], path[PATH_MAX], *name = buffer;
    struct stat stat_;
    int error = read_name(slot, caller, arguments[use->name], buffer);
    if (error != 0)
        return error;
    if (use->flags != DIRECTORY && is_stream(name))
        return 0;
    int base = open_base(slot, caller, use->directory < 0 ? AT_FDCWD : (int)arguments[use->directory]);
    if (base < 0 && name[0] != '/')
        return EBADF;
    error = use->flags == DIRECTORY ? resolve_directory(slot, base, &name, path) : resolve(slot, base, name, path);
    if (error == ENOENT && use->flags != DIRECTORY && creates(use->call, arguments)) {
        char whole[PATH_MAX];
        memcpy(whole, buffer, sizeof whole);
        error = resolve_directory(slot, base, &name, path);
        if (error == 0 && fstatat(base, whole, &stat_, AT_SYMLINK_NOFOLLOW) == 0)
            error = EACCES; /* a link to a file that is yet to be made, wherever */
    }
    if (base >= 0)
        close(base);
    if (error != 0)
        return error == ELOOP ? EACCES : error;
    return in_view(slot, path, changes(use, arguments)) ? 0 : EACCES;
}

int vet(const struct slot *slot, pid_t caller, int call, const unsigned long long *arguments)
{
    int error = EACCES; /* a call that is not in the table */
    if (call == SYS_linkat && arguments[4] != 0)
        return EACCES; /* through links */
    become(slot, true);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (uses[i].call == call && (error = vet_use(slot, caller, &uses[i], arguments)) != 0)
            break;
    become(slot, false);
    return error;
}
