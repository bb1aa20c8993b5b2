/* The directories of one run: BOX/work, which the program may write, and BOX/in, which holds the files that it finds.
 *
 * With a mount namespace BOX is a fresh tmpfs, bounded by its size and its inodes. Without one it is the slot's private
 * directory: the creation of files is counted by the seccomp listener, their bytes by looking, and both trees are
 * removed after the run. (Where another tool built the view the directory is a tmpfs, which bounds all runs alike.) Whatever the program may still change is reached by descriptor only, one component at
 * a time and never through a link. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box.h"
#include "gvisor.h"
#include "powers.h"

#define KEEP ((uid_t)-1) /* an owner who stays */
#define DEEPEST 64       /* directories below this are not looked into: a run that makes them is over its limit */

static int copy_bytes(int to, int from, uint64_t bytes)
{
    while (bytes > 0) {
        ssize_t sent = sendfile(to, from, NULL, bytes);
        if (sent <= 0) {
            errno = sent == 0 ? EPROTO : errno;
            return -1;
        }
        bytes -= (uint64_t)sent;
    }
    return 0;
}

/* Modes of what is ours in there. The program reads it as the slot's group, which only it has, or else as our own user;
 * other users of the machine, who could reach it where it is a directory of theirs too, do not. */
static mode_t closed(const struct slot *slot, mode_t mode) { return mode & (slot->layers & LAYER_UID ? 0770 : 0700); }

/* A tmpfs of the slot's size, or its size changed. */
static int mount_box(const struct slot *slot, unsigned long how)
{
    char options[96];
    int length = snprintf(options, sizeof options, "mode=0700,size=%llu", (unsigned long long)slot->box_bytes);
    if (!ON_GVISOR)
        snprintf(options + length, sizeof options - (size_t)length, ",nr_inodes=%u", slot->box_inodes);
    TRY(mount("none", slot->box, "tmpfs", how | MS_NOSUID | MS_NODEV, options), STAGE_TMPFS, 0);
    return 0;
}

static int make_directories(const struct slot *slot)
{
    TRY(chdir(slot->box), STAGE_TMPFS, 8);
    TRY(mkdir("work", 0700), STAGE_TMPFS, 1);
    TRY(mkdir("in", 0700), STAGE_TMPFS, 2);
    if (slot->layers & LAYER_UID) {
        TRY(chown("in", KEEP, slot->gid), STAGE_TMPFS, 15);
        TRY(chown(".", KEEP, slot->gid), STAGE_TMPFS, 16);
    }
    return 0;
}

/* Before it is known what is to run: of the size of the last run, or of none. gVisor's tmpfs keeps its size. */
int open_box(const struct slot *slot)
{
    if (!(slot->layers & LAYER_MOUNT))
        TRY(chmod(slot->box, 0700), STAGE_TMPFS, 14); /* closed again below: what is in it cannot be replaced */
    else if (ON_GVISOR)
        return 0;
    else if (mount_box(slot, 0) < 0)
        return -1;
    return make_directories(slot);
}

static int size_box(struct slot *slot, const struct run_request *request)
{
    const struct run *run = &request->fixed;
    uint64_t bytes = run->directory_bytes;
    const uint32_t inodes = run->directory_inodes + run->files + request->directories + BOX_INODES;
    for (uint32_t i = 0; i < run->files; i++)
        bytes += request->files[i].bytes + 4096;
    bytes += (uint64_t)request->directories * 4096;
    const bool changed = bytes != slot->box_bytes || inodes != slot->box_inodes;
    slot->box_bytes = bytes;
    slot->box_inodes = inodes;
    if (ON_GVISOR)
        return mount_box(slot, 0) < 0 ? -1 : make_directories(slot);
    return changed ? mount_box(slot, MS_REMOUNT) : 0;
}

/* The directories above a file, in a tree that nobody but us has touched. We keep those in work, so that we can go on
 * writing below them: the program has them by its group, or as our own user. */
static int make_above(const struct slot *slot, char *path, bool work)
{
    char *slash = strchr(path, '/');
    while ((slash = strchr(slash + 1, '/')) != NULL) {
        *slash = '\0';
        int made = mkdir(path, 0700);
        if (made == 0 && slot->layers & LAYER_UID)
            made = chown(path, KEEP, slot->gid);
        if (made == 0)
            made = chmod(path, closed(slot, work ? 0770 : 0750));
        if (made < 0 && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return 0;
}

/* Once all is written: as `in` itself is. */
static int close_above(const struct slot *slot, const struct file_request *file)
{
    char path[PATH_BYTES + 8];
    if (file->flags & (FILE_WORK | FILE_PROGRAM))
        return 0;
    snprintf(path, sizeof path, "in/%s", file->name);
    for (char *slash; (slash = strrchr(path, '/')) != path + 2;) {
        *slash = '\0';
        if (chmod(path, closed(slot, 0555)) < 0)
            return -1;
    }
    return 0;
}

static int write_files(const struct slot *slot, const struct run_request *request, int bundle)
{
    for (uint32_t i = 0; i < request->fixed.files; i++) {
        const struct file_request *file = &request->files[i];
        bool work = file->flags & FILE_WORK;
        char path[PATH_BYTES + 8];
        if (file->flags & FILE_PROGRAM)
            snprintf(path, sizeof path, PROGRAM);
        else
            snprintf(path, sizeof path, "%s/%s", work ? "work" : "in", file->name);
        if (!(file->flags & FILE_PROGRAM))
            TRY(make_above(slot, path, work), STAGE_FILES, (int)i);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        TRY(fd, STAGE_FILES, (int)i);
        TRY(copy_bytes(fd, bundle, file->bytes), STAGE_FILES, (int)i);
        const mode_t mode = (file->flags & FILE_EXECUTABLE ? 0555 : 0444) | (work ? 0200 : 0);
        TRY(fchmod(fd, closed(slot, mode)), STAGE_FILES, (int)i);
        if (slot->layers & LAYER_UID)
            TRY(fchown(fd, work ? slot->uid : KEEP, slot->gid), STAGE_FILES, (int)i);
        close(fd);
    }
    for (uint32_t i = 0; i < request->fixed.files; i++)
        TRY(close_above(slot, &request->files[i]), STAGE_FILES, (int)i);
    return 0;
}

/* The run's own /proc. */
int prepare_proc(const struct slot *slot)
{
    if (!(slot->layers & LAYER_PROC))
        return 0;
    TRY(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, slot->proc_options), STAGE_PROCFS,
        3);
    return ON_GVISOR ? cover_first_process() : 0;
}

int fill_box(struct slot *slot, const struct run_request *request, int bundle)
{
    if ((slot->layers & LAYER_MOUNT) && size_box(slot, request) < 0)
        return -1;
    if (write_files(slot, request, bundle) < 0)
        return -1;
    /* Where the program has our uid, this is what keeps it out: it cannot change modes. */
    TRY(chmod("in", closed(slot, 0555)), STAGE_TMPFS, 4);
    TRY(chmod(".", closed(slot, 0555)), STAGE_TMPFS, 9);
    TRY(chdir("work"), STAGE_TMPFS, 5);
    if (slot->layers & LAYER_UID)
        TRY(chown(".", slot->uid, slot->gid), STAGE_TMPFS, 3); /* closed to us from here on */
    return 0;
}

const struct entry *next_entry(struct listing *listing)
{
    for (;;) {
        if (listing->at >= listing->got) {
            listing->got = syscall(SYS_getdents64, listing->fd, listing->buffer, sizeof listing->buffer);
            listing->at = 0;
            if (listing->got <= 0)
                return NULL;
        }
        const struct entry *entry = (const struct entry *)(const void *)(listing->buffer + listing->at);
        listing->at += entry->length;
        if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
            return entry;
    }
}

/* A directory (O_DIRECTORY) or a file of the program's. What it closed to its own user, who may be ours, is opened to us
 * again, by a handle in whose place it can put no link. */
static int open_below(int host_proc, int parent, const char *name, int kind)
{
    char self[32];
    const int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | kind;
    int fd = openat(parent, name, flags | O_NOFOLLOW);
    if (fd >= 0 || errno != EACCES)
        return fd;
    int handle = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | kind);
    if (handle < 0)
        return -1;
    snprintf(self, sizeof self, "self/fd/%d", handle);
    if (fchmodat(host_proc, self, 0700, 0) == 0)
        fd = openat(host_proc, self, flags);
    int error = errno;
    close(handle);
    errno = error;
    return fd;
}

/* Bytes of the files below a directory that a program may be changing: it can hide some for a moment, not keep them. */
uint64_t used_below(const struct slot *slot, int parent, const char *name, int depth, uint32_t *inodes)
{
    struct listing listing = {.fd = open_below(slot->host_proc, parent, name, O_DIRECTORY)};
    uint64_t used = 0;
    const struct entry *entry;
    if (listing.fd < 0)
        return errno == EACCES ? UNSEEN_BYTES : 0;
    while ((entry = next_entry(&listing)) != NULL) {
        struct stat stat_;
        if (fstatat(listing.fd, entry->name, &stat_, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        used += (uint64_t)stat_.st_blocks * 512;
        (*inodes)++;
        if (S_ISDIR(stat_.st_mode) && depth < DEEPEST) {
            used += used_below(slot, listing.fd, entry->name, depth + 1, inodes);
        } else if (S_ISDIR(stat_.st_mode)) {
            used += UNSEEN_BYTES;
            *inodes |= 1u << 30;
        }
    }
    close(listing.fd);
    return used;
}

uint64_t box_used(const struct slot *slot)
{
    struct statfs box;
    uint32_t inodes = 0;
    if (!slot->tmpfs)
        return used_below(slot, AT_FDCWD, ".", 0, &inodes); /* the stub stands in work */
    return statfs(slot->box, &box) < 0 ? 0 : (uint64_t)(box.f_blocks - box.f_bfree) * (uint64_t)box.f_bsize;
}

/* A file of the program's by its path, one component at a time: no link is followed. */
static int open_path(const struct slot *slot, const char *path)
{
    char part[PATH_BYTES];
    int parent = AT_FDCWD;
    for (const char *slash; (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        int next = open_below(slot->host_proc, parent, part, O_DIRECTORY);
        if (parent != AT_FDCWD)
            close(parent);
        if (next < 0)
            return -1;
        parent = next;
    }
    int fd = open_below(slot->host_proc, parent, path, 0);
    if (parent != AT_FDCWD)
        close(parent);
    return fd;
}

/* One file of the working directory, if it is a regular one and fits into what is `left`: that is COLLECT_ALL's "name,
 * NUL, 64 bits of size, content" if `named`, else the content alone. */
static int collect_file(const struct slot *slot, int out, uint32_t index, const char *name, bool named, uint64_t *left,
                        int64_t *collected)
{
    char head[264];
    struct stat stat_;
    size_t length = named ? strlen(name) + 1 + sizeof(uint64_t) : 0;
    int fd = length <= sizeof head ? open_path(slot, name) : -1;
    *collected = -1;
    if (fd < 0)
        return 0;
    if (fstat(fd, &stat_) == 0 && S_ISREG(stat_.st_mode) && length <= *left &&
        (uint64_t)stat_.st_size <= *left - length) {
        const uint64_t size = (uint64_t)stat_.st_size;
        if (named) {
            memcpy(head, name, length - sizeof size);
            memcpy(head + length - sizeof size, &size, sizeof size);
            TRY(write(out, head, length), STAGE_COLLECT, (int)index); /* whole: less than PIPE_BUF */
        }
        TRY(copy_bytes(out, fd, size), STAGE_COLLECT, (int)index);
        *collected = (int64_t)(length + size);
        *left -= length + size;
    }
    close(fd);
    return 0;
}

/* Nobody is left who could change the directory; still only plain names, never through a link. Through a pipe: what is
 * copied into memory here would be charged to the slot's cgroup, which the run's limit holds. */
int collect_files(const struct slot *slot, int out, int64_t *collected)
{
    const struct run_request *request = &slot->request;
    uint64_t left = request->fixed.directory_bytes;
    if (request->fixed.collects == 1 && strcmp(request->collect[0], COLLECT_ALL) == 0) {
        struct listing listing = {.fd = open_below(slot->host_proc, AT_FDCWD, ".", O_DIRECTORY)};
        const struct entry *entry;
        int64_t one;
        while ((entry = next_entry(&listing)) != NULL)
            if (collect_file(slot, out, 0, entry->name, true, &left, &one) < 0)
                return -1;
        collected[0] = (int64_t)(request->fixed.directory_bytes - left);
        return listing.fd < 0 ? 0 : close(listing.fd);
    }
    for (uint32_t i = 0; i < request->fixed.collects; i++)
        if (collect_file(slot, out, i, request->collect[i], false, &left, &collected[i]) < 0)
            return -1;
    return 0;
}

/* Removes all that is in a directory, whatever its modes, names and depth: down into the first directory that is not
 * empty, up again by "..". Only for trees that nobody changes any more. */
static int empty_tree(int host_proc, const char *path)
{
    int depth = 0, fd = open_below(host_proc, AT_FDCWD, path, O_DIRECTORY);
    if (fd < 0)
        return -1;
    for (;;) {
        struct listing listing = {.fd = fd};
        const struct entry *entry;
        int below = -1;
        fchmod(fd, 0700);
        lseek(fd, 0, SEEK_SET);
        while ((entry = next_entry(&listing)) != NULL) {
            if (unlinkat(fd, entry->name, 0) == 0 || unlinkat(fd, entry->name, AT_REMOVEDIR) == 0)
                continue;
            below = open_below(host_proc, fd, entry->name, O_DIRECTORY);
            break;
        }
        if (entry != NULL && below < 0)
            return close(fd), -1;
        if (entry == NULL && depth == 0)
            break;
        int next = entry != NULL ? below : openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        depth += entry != NULL ? 1 : -1;
        close(fd);
        fd = next;
        if (fd < 0)
            return -1;
    }
    return close(fd);
}

int remove_tree(int host_proc, const char *path)
{
    if (empty_tree(host_proc, path) < 0)
        return errno == ENOENT ? 0 : -1;
    return rmdir(path);
}

/* With all that the run left, and of that only what its user may: what is kept in a tmpfs is charged to the slot's cgroup. */
int empty_box(const struct slot *slot)
{
    if (slot->layers & LAYER_MOUNT) {
        TRY(chdir("/"), STAGE_TMPFS, 6);
        if (enter_phase(slot, PHASE_PREPARE) < 0)
            return -1;
        TRY(umount2(slot->box, MNT_DETACH), STAGE_TMPFS, 7);
        return 0;
    }
    if (enter_phase(slot, PHASE_RUN) < 0)
        return -1;
    TRY(chdir(slot->box), STAGE_TMPFS, 10);
    /* In a box that is not closed to it the program may have put anything in its place: what it is, is removed below. */
    if (empty_tree(slot->host_proc, "work") < 0 && errno != ELOOP && errno != ENOTDIR && errno != ENOENT)
        return fail(STAGE_TMPFS, 12);
    if (enter_phase(slot, PHASE_PREPARE) < 0)
        return -1;
    TRY(chmod(".", 0700), STAGE_TMPFS, 11);
    TRY(empty_tree(slot->host_proc, "."), STAGE_TMPFS, 13);
    return 0;
}
