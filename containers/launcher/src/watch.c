/* What is looked at while a program runs, as nothing else bounds it: its memory, and the bytes or the number of its
 * files. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "box.h"
#include "run.h"
#include "gvisor.h"

#define NAMELESS_MAPPED 8 /* files that have neither name nor descriptor, only a mapping: no honest run has so many */

/* Bytes of the files that the program made. Where their creation is counted, none is made uncounted. */
uint64_t files_kept(const struct live *live)
{
    const bool none = !live->slot->tmpfs && live->created == 0 && live->box_began == 0;
    const uint64_t used = none ? 0 : box_used(live->slot);
    /* One that it hid from us (too deep, closed) looks endless. */
    return smaller(used > live->box_began ? used - live->box_began : 0, live->request->fixed.directory_bytes);
}

/* An input that is mapped is memory of the program's only by name: its pages are ours, whoever maps them. A program that
 * reads it instead moves the offset that its descriptor shares with ours. */
uint64_t mapped_input(const struct live *live)
{
    return live->input_bytes > 0 && lseek(live->fds[0], 0, SEEK_CUR) == 0 ? live->input_bytes : 0;
}

/* Looks at the program's memory, soon again if little is left: it cannot be had faster than 10 GB/s. The only bound
 * where there is no cgroup; where there is one, what makes the two agree. */
static int watch_memory(struct live *live, uint64_t now)
{
    uint64_t limit = live->request->fixed.memory_bytes;
    if (find_number(live) <= 0) { /* the kernel does not tell children: nothing to look at */
        live->watch_at_ns = NEVER;
        return live->slot->layers & LAYER_CGROUP ? 0 : fail(STAGE_PROC, 1);
    }
    struct held held = read_held(live->slot->host_proc, live->host_number);
    uint64_t used;
    if (ON_GVISOR) {
        TRY(measure_on_sentry(live, now, &held, &used), STAGE_PROC, 2);
    } else {
        const uint64_t input = smaller(held.shared, mapped_input(live));
        const uint64_t shared = held.shared - input > live->shared ? held.shared - input : live->shared;
        /* A tmpfs is memory, except for what we put there; a directory on a disk counts only in the end. */
        used = held.anonymous + shared + (live->slot->tmpfs ? files_kept(live) : 0);
    }
    if (used > live->result.anonymous_bytes)
        live->result.anonymous_bytes = used;
    if (held.file > live->result.file_bytes)
        live->result.file_bytes = held.file;
    /* Page tables are the kernel's memory, and have no bound but this; no honest program has so many. */
    const uint64_t most_tables = limit / 4 + (1 << 20);
    if (used > limit || held.tables > most_tables) {
        stop(live, REASON_MEMORY);
        live->watch_at_ns = NEVER;
        return 0;
    }
    uint64_t pause = smaller(limit - used, 2 * (most_tables - held.tables)) / 10;
    live->watch_at_ns = now + (pause > WATCH_MIN_NS ? pause : WATCH_MIN_NS);
    return 0;
}

/* No tmpfs bounds the bytes of this run's files: look at them while there are any. */
static void weigh_files(struct live *live, uint64_t now)
{
    const struct slot *slot = live->slot;
    const struct run *run = &live->request->fixed;
    uint64_t nameless = 0;
    bool looked = slot->tmpfs || run->flags & RUN_TOOL || /* which hides nothing */
                  read_deleted(slot, find_number(live), run->directory_bytes / NAMELESS_MAPPED, &nameless);
    bool blinded = live->looked && !looked; /* it made itself unreadable */
    live->looked |= looked;
    /* Soon again where little may be written: no file system takes more than 4 GB/s. */
    live->files_at_ns = now_ns() + smaller(FILES_PAUSE_NS, run->directory_bytes / 4) + 4 * (now_ns() - now);
    if (blinded || box_used(slot) + nameless > live->box_began + run->directory_bytes) {
        stop(live, REASON_FILES);
        live->files_at_ns = NEVER;
    }
}

/* When the program has begun. */
void begin_watch(struct live *live)
{
    const struct run *run = &live->request->fixed;
    if (ON_GVISOR)
        begin_watch_on_sentry(live);
    if (run->flags & RUN_WATCH || ON_GVISOR) /* there also several processes together */
        live->watch_at_ns = live->began_ns + run->memory_bytes / 10;
}

/* Looks at what is due. */
int watch(struct live *live, uint64_t now)
{
    if (now >= live->watch_at_ns && watch_memory(live, now) < 0)
        return -1;
    if (now >= live->files_at_ns && ON_GVISOR)
        count_files_on_sentry(live, now);
    else if (now >= live->files_at_ns)
        weigh_files(live, now);
    return 0;
}
