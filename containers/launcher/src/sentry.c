/* gVisor's kernel, which runs the slot alone, and is another where it matters here:
 *
 *   its tmpfs bounds no inodes, and keeps its size     files are counted here; box.c mounts a box for each run
 *   it tells what all hold together                    here
 *   it tells what all used together                    add_usage_of_all in stub.c; so a stub serves one run (is_as_new)
 *   one kill may miss who forks meanwhile              end_all in stub.c
 *   what is undumpable can be looked at all the same   prepare_proc in box.c
 *
 * `sentry` of the slot says that it is there; probe_inodes in view.c finds that out. */
#define _GNU_SOURCE
#include "sentry.h"

#include "box.h"

#define FILE_NS 10000ull     /* no file is made faster than this */
#define LOOKS_NS 25000000ull /* what is held is counted anew every 10 ms at most */

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
    const uint64_t most = run->directory_inodes + run->files + live->request->directories,
                   found = box_inodes(live->slot);
    if (found > most) {
        stop(live, REASON_FILES);
        live->files_at_ns = NEVER;
        return;
    }
    const uint64_t pause = smaller(FILES_PAUSE_NS, (most - found) * FILE_NS);
    live->files_at_ns = now + 2 * (now_ns() - now) + (pause > WATCH_MIN_NS ? pause : WATCH_MIN_NS);
}
