/* Where the kernel has no Landlock and grants no mount, the listener looks at every path that is opened, changed or
 * executed.
 *
 * The caller waits meanwhile, and the kernel reads the path again when we let it go on. In between nobody can change it:
 * the caller has no other thread (stub.c refuses once it has), nothing else shares its memory, and whatever would write
 * to it from outside (io_uring, userfaultfd, process_vm_writev, /proc/…/mem) is refused. Both looks find the same file:
 * same root, same working directory, same user. What would not be the same, the magic links of /proc, is refused. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter.h"
#include "view.h"

/* What the call does with the file. */
enum access { READ = 1, CHANGE = 2, RUN = 4 };

static int access_of(const struct use *use, const unsigned long long *arguments)
{
    if (use->how == USE_EXECUTE)
        return RUN;
    if (use->how < 0)
        return CHANGE;
    const int mode = (int)arguments[use->how] & O_ACCMODE;
    const int change = mode != O_RDONLY || arguments[use->how] & (O_CREAT | O_TRUNC) ? CHANGE : 0;
    return change | (mode != O_WRONLY ? READ : 0);
}

/* The caller's memory and descriptors are open to its own user, who we are for files (powers.c). */
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
    if (slash == *name) {
        strcpy(out, "/");
        *name = last;
        return 0;
    }
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

static bool in_view(const struct slot *slot, const char *path, int access)
{
    for (uint32_t i = 0; i < slot->setup->fixed.views; i++) {
        const struct view_entry *entry = &slot->setup->views[i];
        const bool at = strcmp(path, entry->source) == 0, inside = below(path, entry->source);
        /* Not what the program wrote: it would name a loader or an interpreter, which the kernel opens without asking. */
        if ((entry->kind == VIEW_HOME && inside && !(access & RUN)) ||
            (entry->kind == VIEW_BIND && inside && !(access & CHANGE)) ||
            (entry->kind == VIEW_DEVICE && at && !(access & RUN)) || (entry->kind == VIEW_LIST && at && access == READ))
            return true;
    }
    return false;
}

/* A directory in which another process shows where it is and what it has open. /proc/self leads our own look to ours. */
static bool of_another(pid_t caller, const char *path)
{
    int number;
    return sscanf(path, "/proc/%d", &number) == 1 && number != caller && number != getpid();
}

/* Its own streams, by their usual names: the number of the descriptor, or -1. */
static int stream_of(const char *name)
{
    static const char *const streams[] = {"/dev/stdin",      "/dev/stdout",     "/dev/stderr",
                                          "/dev/fd/0",       "/dev/fd/1",       "/dev/fd/2",
                                          "/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2"};
    for (int i = 0; i < (int)(sizeof streams / sizeof *streams); i++)
        if (strcmp(name, streams[i]) == 0)
            return i % 3;
    return -1;
}

/* What is behind a descriptor it has already: to be opened with the rights that it has by it, and no more. The kernel
 * shows them as the modes of the link. */
static int vet_stream(const struct slot *slot, pid_t caller, int stream, int access)
{
    char path[64];
    struct stat link;
    snprintf(path, sizeof path, "%d/fd/%d", caller, stream);
    if (fstatat(slot->host_proc, path, &link, AT_SYMLINK_NOFOLLOW) < 0)
        return ENOENT;
    const int has = (link.st_mode & S_IRUSR ? READ : 0) | (link.st_mode & S_IWUSR ? CHANGE : 0);
    return (access & ~has) == 0 ? 0 : EACCES;
}

static int vet_use(const struct slot *slot, pid_t caller, const struct use *use, const unsigned long long *arguments)
{
    char buffer[PATH_MAX], path[PATH_MAX], *name = buffer;
    struct stat stat_;
    int error = read_name(slot, caller, arguments[use->name], buffer);
    if (error != 0)
        return error;
    const int access = access_of(use, arguments), stream = stream_of(name);
    const bool looked = use->how == USE_ENTER || use->how == USE_LINK;    /* nothing is opened: no view bounds it */
    const bool above = use->how == USE_DIRECTORY || use->how == USE_LINK; /* what counts is the directory of the name */
    if (stream >= 0 && !looked && !above)
        return vet_stream(slot, caller, stream, access);
    int base = open_base(slot, caller, use->directory < 0 ? AT_FDCWD : (int)arguments[use->directory]);
    if (base < 0 && name[0] != '/')
        return EBADF;
    error = above ? resolve_directory(slot, base, &name, path) : resolve(slot, base, name, path);
    if (error == ENOENT && !above && counted_as(slot, (int)use->call, arguments) == COUNT_FILE) {
        char given[PATH_MAX];
        memcpy(given, buffer, sizeof given);
        error = resolve_directory(slot, base, &name, path);
        if (error == 0 && fstatat(base, given, &stat_, AT_SYMLINK_NOFOLLOW) == 0)
            error = EACCES; /* a link to a file that is yet to be made, wherever */
    }
    if (base >= 0)
        close(base);
    if (error != 0)
        return error == ELOOP ? EACCES : error;
    if (looked)
        return of_another(caller, path) ? EACCES : 0;
    return in_view(slot, path, access) ? 0 : EACCES;
}

/* What the stub is about to execute: the loader that it names, which the kernel opens without asking, must be of the view,
 * too. A compiled program may name any. */
int vet_executable(const struct slot *slot, int fd)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    char name[PATH_MAX], path[PATH_MAX];
    if (pread(fd, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
        return ENOEXEC;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        if (pread(fd, &part, sizeof part, (off_t)(head.e_phoff + i * sizeof part)) != sizeof part)
            return ENOEXEC;
        if (part.p_type != PT_INTERP)
            continue;
        if (part.p_filesz < 2 || part.p_filesz > sizeof name ||
            pread(fd, name, part.p_filesz, (off_t)part.p_offset) != (ssize_t)part.p_filesz ||
            name[part.p_filesz - 1] != '\0')
            return ENOEXEC;
        const int error = resolve(slot, AT_FDCWD, name, path);
        return error != 0 ? error : in_view(slot, path, RUN) ? 0 : EACCES;
    }
    return 0;
}

int vet(const struct slot *slot, pid_t caller, int call, const unsigned long long *arguments)
{
    int error = EACCES; /* a call that is not in the table: execveat, which may name what is open */
    if (call == SYS_linkat && arguments[4] != 0)
        return EACCES; /* through links */
    for (uint32_t i = 0; i < slot->walls->fixed.uses; i++) {
        const struct use *use = &slot->walls->uses[i];
        if ((int)use->call == call && (error = vet_use(slot, caller, use, arguments)) != 0)
            break;
    }
    return error;
}
