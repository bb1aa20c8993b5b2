/* Files of a run that live on without a name, by a descriptor or a mapping: where no tmpfs bounds the bytes of files,
 * looking at the directory does not show them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box.h"
#include "meter.h"

#define SEEN_MAX 256 /* files that are told apart; beyond them each descriptor and each mapping counts */
#define TRIES 8      /* times that all tasks may end while one looks */

/* Is this a file of the run that has no name any more? As /proc words it; a program that names a file so deceives itself. */
static bool deleted(const struct slot *slot, const char *path, size_t length)
{
    static const char suffix[] = " (deleted)";
    const size_t box = strlen(slot->box), end = sizeof suffix - 1;
    return length > box + end && memcmp(path, slot->box, box) == 0 && path[box] == '/' &&
           memcmp(path + length - end, suffix, end) == 0;
}

static bool known(const ino_t *seen, size_t count, ino_t inode)
{
    while (count > 0 && seen[count - 1] != inode)
        count--;
    return count > 0;
}

/* By descriptors of one task. */
static bool count_open(const struct slot *slot, const char *task, ino_t *seen, size_t *count, uint64_t *bytes)
{
    char path[PATH_MAX];
    struct stat file;
    snprintf(path, sizeof path, "%s/fd", task);
    struct listing listing = {.fd = openat(slot->host_proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    const struct entry *entry;
    if (listing.fd < 0)
        return false;
    while ((entry = next_entry(&listing)) != NULL) {
        ssize_t length = readlinkat(listing.fd, entry->name, path, sizeof path);
        bool ours = length > 0 ? deleted(slot, path, (size_t)length) : errno == ENAMETOOLONG;
        if (!ours || fstatat(listing.fd, entry->name, &file, 0) < 0 || file.st_nlink > 0 ||
            known(seen, *count, file.st_ino))
            continue;
        *bytes += (uint64_t)file.st_blocks * 512;
        if (*count < SEEN_MAX)
            seen[(*count)++] = file.st_ino;
    }
    close(listing.fd);
    return true;
}

/* By mappings: "start-end mode offset device inode   path". */
static void count_mapped(const struct slot *slot, const char *task, ino_t *seen, size_t count, uint64_t each,
                         uint64_t *bytes)
{
    static char text[64 * 1024];
    size_t kept = 0;
    ssize_t got;
    snprintf(text, sizeof text, "%s/maps", task);
    int fd = openat(slot->host_proc, text, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (got = read(fd, text + kept, sizeof text - kept)) > 0) {
        char *line = text, *end;
        for (kept += (size_t)got; (end = memchr(line, '\n', kept)) != NULL; line = end + 1) {
            unsigned long inode = 0;
            const char *path = memchr(line, '/', (size_t)(end - line));
            kept -= (size_t)(end + 1 - line);
            if (path == NULL || !deleted(slot, path, (size_t)(end - path)))
                continue;
            *end = '\0';
            if (sscanf(line, "%*s %*s %*s %*s %lu", &inode) != 1 || known(seen, count, inode))
                continue;
            *bytes += each;
            if (count < SEEN_MAX)
                seen[count++] = inode;
        }
        memmove(text, line, kept);
        if (kept == sizeof text) /* a path that no honest program has */
            *bytes = UINT64_MAX / 2;
    }
    if (fd >= 0)
        close(fd);
}

/* What all tasks of the program have. The filter lets them have one table of descriptors alone; here each is looked at as
 * if it had its own. False where the kernel lets us look at none: one that is ending shows nobody what it has. */
static bool look(const struct slot *slot, pid_t pid, uint64_t each, uint64_t *bytes)
{
    char task[64];
    ino_t seen[SEEN_MAX];
    size_t count = 0;
    bool looked = false;
    snprintf(task, sizeof task, "%d/task", pid);
    struct listing listing = {.fd = openat(slot->host_proc, task, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    const struct entry *entry;
    while ((entry = next_entry(&listing)) != NULL) {
        snprintf(task, sizeof task, "%d/task/%d", pid, atoi(entry->name));
        if (!count_open(slot, task, seen, &count, bytes))
            continue;
        if (!looked) /* their memory is one */
            count_mapped(slot, task, seen, count, each, bytes);
        looked = true;
    }
    if (listing.fd >= 0)
        close(listing.fd);
    return looked;
}

/* Bytes of the run's files that live on without a name. What only a mapping keeps tells no size: counted as `each`.
 * False where the kernel does not let us look. It lets those who have the program's own user. */
bool read_deleted(const struct slot *slot, pid_t pid, uint64_t each, uint64_t *bytes)
{
    for (int tries = 0; tries < TRIES; tries++) {
        *bytes = 0;
        if (look(slot, pid, each, bytes))
            return true;
        if (live_task(slot->host_proc, pid) == 0)
            return true; /* nobody is left who could keep one */
    }
    return false;
}
