/* gVisor's kernel, which runs the slot alone, and is another where it matters here:
 *
 *   its tmpfs bounds no inodes, and keeps its size     files are counted here; box.c mounts a box for each run
 *   it tells what all hold together                    here
 *   it tells what all used together                    here (add_usage_of_all); so a stub serves one run (is_as_new)
 *   a cgroup of its own counts also whom nobody waits for   here (open_cpu_on_sentry)
 *   one kill may miss who forks meanwhile              end_all in stub.c
 *   what is undumpable can be looked at all the same   here (cover_first_process)
 *
 * It runs inside gVisor's own walls. `ON_GVISOR` in the launcher's sources is what differs there. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "gvisor.h"

#include "box.h"

#define FILE_NS 10000ull     /* no file is made faster than this */
#define LOOKS_NS 25000000ull /* what is held is counted anew every 10 ms at most */

/* Its tmpfs does not know the option, and its memory is told of all that its kernel holds: only the first process of a
 * container has one to itself. */
int probe_sentry(void)
{
    if (mount("none", BOX_PARENT BOX_NAME, "tmpfs", MS_NOSUID | MS_NODEV, "size=4k,nr_inodes=8") == 0)
        errno = ENOTSUP; /* Linux */
    return errno == EINVAL && getpid() == 1 ? 0 : fail(STAGE_TMPFS, 21);
}

/* The counter of all that ever ran. -1: it has none. */
int open_cpu_on_sentry(void)
{
    if (mount("none", BOX_PARENT BOX_NAME, "cgroup", MS_NOSUID | MS_NODEV | MS_NOEXEC, "cpuacct") < 0)
        return -1;
    const int counter = open(BOX_PARENT BOX_NAME "/cpuacct.usage", O_RDONLY | O_CLOEXEC);
    return umount2(BOX_PARENT BOX_NAME, MNT_DETACH) < 0 ? -1 : counter;
}

/* We are undumpable, but there that closes little. */
int cover_first_process(void)
{
    TRY(mount("none", "/proc/1", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=0555"),
        STAGE_PROCFS, 4);
    return 0;
}

/* What all processes together hold, with files in memory and what is mapped nowhere, in bytes. */
static bool read_sentry(int host_proc, uint64_t *bytes)
{
    char text[2048];
    read_file(host_proc, "meminfo", text, sizeof text);
    *bytes = 1024 * value_of(text, "\nAnonPages:");
    return strstr(text, "\nAnonPages:") != NULL;
}

int begin_on_sentry(struct live *live)
{
    return read_sentry(live->slot->host_proc, &live->sentry_began) ? 0 : fail(STAGE_PROC, 3);
}

void begin_watch_on_sentry(struct live *live)
{
    live->file_ns = live->began_ns;
    live->file_least = UINT64_MAX;
    live->files_at_ns = live->began_ns + smaller(FILES_PAUSE_NS, live->request->fixed.directory_inodes * FILE_NS);
}

/* What the run holds, one sum for all that is memory; and what of a process is pages of files. */
int measure_on_sentry(struct live *live, uint64_t now, struct held *held, uint64_t *used)
{
    uint64_t all;
    if (!read_sentry(live->slot->host_proc, &all))
        return -1;
    live->sentry_began = smaller(live->sentry_began, all); /* what was freed since is no leniency */
    *used = all - live->sentry_began;
    /* The rest is pages of files, and what grew since *used was read. Growth passes: the smallest of several looks is
     * taken. */
    live->file_least = smaller(live->file_least, held->anonymous > *used ? held->anonymous - *used : 0);
    held->file = 0;
    if (now - live->file_ns >= LOOKS_NS) {
        held->file = live->file_least;
        live->file_least = UINT64_MAX;
        live->file_ns = now;
    }
    return 0;
}

/* Soon again where few are left. */
void count_files_on_sentry(struct live *live, uint64_t now)
{
    const struct run *run = &live->request->fixed;
    uint32_t inodes = 0;
    used_below(live->slot, AT_FDCWD, ".", 0, &inodes);
    const uint64_t most = run->directory_inodes + run->files + live->request->directories, found = inodes;
    if (found > most) {
        stop(live, REASON_FILES);
        live->files_at_ns = NEVER;
        return;
    }
    const uint64_t pause = smaller(FILES_PAUSE_NS, (most - found) * FILE_NS);
    live->files_at_ns = now + 2 * (now_ns() - now) + (pause > WATCH_MIN_NS ? pause : WATCH_MIN_NS);
}

/* Its peak has all that was mapped of files: a Java machine's are 160 MiB. The input's the driver knows of. */
void add_usage_of_all(struct live *live)
{
    struct result *result = &live->result;
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) < 0)
        return;
    add_usage(result, &usage);
    const uint64_t input = smaller(result->file_bytes, mapped_input(live));
    result->maxrss_bytes -= smaller(result->maxrss_bytes, result->file_bytes - input);
    result->file_bytes = input;
}
