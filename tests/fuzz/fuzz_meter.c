/* What the launcher reads of the kernel's text files, in part of the program's choosing (its name in /proc/<pid>/stat).
 * The files are the input, whatever is opened: only the functions that take text apart are under test. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint8_t *content;
static size_t content_size;

static ssize_t give(void *buffer, size_t size)
{
    size_t length = content_size < size ? content_size : size;
    if (length > 0)
        memcpy(buffer, content, length);
    return (ssize_t)length;
}

#define openat(...) 100
#define close(fd) ((void)(fd), 0)
#define pread(fd, buffer, size, offset) give(buffer, size)
#include "meter.c"
#undef openat
#undef close
#undef pread

const struct entry *next_entry(struct listing *listing) /* of /proc: the launcher's box.c is not under test */
{
    static union {
        struct entry entry;
        char space[sizeof(struct entry) + 8];
    } one;
    one.entry.name[0] = '7';
    return listing->at++ == 0 ? &one.entry : NULL;
}

static int accepted(const uint8_t *data, size_t size)
{
    struct oom_events events;
    content = data;
    content_size = size;
    uint32_t tasks = count_tasks(3, 7, false) + count_tasks(3, 7, true);
    struct held held = read_held(3, 7);
    bool counted = read_oom_events(3, &events);
    (void)(read_number(3) + read_cpu_ns(3) + (uint64_t)program_number(3));
    return tasks > 0 || held.anonymous > 0 || (counted && events.kills > 0);
}

#include "harness.h"
