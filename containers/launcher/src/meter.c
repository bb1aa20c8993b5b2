/* Numbers from the kernel: the slot's cgroup, and the memory of a process that no cgroup bounds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "box.h"
#include "meter.h"

uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Reads a small kernel file from its start as text. */
static ssize_t read_text(int fd, char *buffer, size_t size)
{
    ssize_t got = pread(fd, buffer, size - 1, 0);
    buffer[got > 0 ? got : 0] = '\0';
    return got;
}

/* The same, of a file that is opened for it. */
ssize_t read_file(int directory, const char *path, char *buffer, size_t size)
{
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    ssize_t got = read_text(fd, buffer, size);
    if (fd >= 0)
        close(fd);
    return got;
}

int set_number(int fd, uint64_t value)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return pwrite(fd, text, (size_t)length, 0) == length ? 0 : -1;
}

uint64_t read_number(int fd)
{
    char text[32];
    return fd >= 0 && read_text(fd, text, sizeof text) > 0 ? strtoull(text, NULL, 10) : 0;
}

/* The value of `key` in a file of lines "key value" or "Key:  value kB". */
uint64_t value_of(const char *text, const char *key)
{
    const char *line = strstr(text, key);
    return line == NULL ? 0 : strtoull(line + strlen(key), NULL, 10);
}

/* CPU time of all that ever ran in the slot's cgroup: a number (version 1), or the line "usage_usec" of cpu.stat. */
uint64_t read_cpu_ns(int fd)
{
    char text[512] = "\n";
    if (fd < 0 || read_text(fd, text + 1, sizeof text - 1) <= 0)
        return 0;
    const uint64_t number = strtoull(text, NULL, 10);
    return number > 0 ? number : 1000 * value_of(text, "\nusage_usec ");
}

bool read_oom_events(int events, struct oom_events *out)
{
    char text[512] = "\n"; /* so that every key has a newline before it */
    *out = (struct oom_events){0, 0};
    if (events < 0 || read_text(events, text + 1, sizeof text - 1) <= 0)
        return false;
    *out = (struct oom_events){value_of(text, "\noom_kill "), value_of(text, "\noom ")};
    return true;
}

/* The only child of this thread, as the /proc that `host_proc` is numbers it; -1 where the kernel does not say. */
int program_number(int host_proc)
{
    char text[32];
    return read_file(host_proc, "thread-self/children", text, sizeof text) > 0 ? atoi(text) : -1;
}

/* False for a task that has no memory any more. */
static bool read_status(int directory, const char *path, char *text, size_t size)
{
    read_file(directory, path, text, size);
    return strstr(text, "\nVmRSS:") != NULL;
}

/* Of the first task that has: the one that began may end before the others. */
static bool read_any_status(int host_proc, int pid, char *text, size_t size, int *task)
{
    char path[300];
    snprintf(path, sizeof path, "%d/status", pid);
    bool found = read_status(host_proc, path, text, size);
    *task = pid;
    if (found)
        return true;
    snprintf(path, sizeof path, "%d/task", pid);
    struct listing listing = {.fd = openat(host_proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    const struct entry *entry;
    while (!found && (entry = next_entry(&listing)) != NULL) {
        snprintf(path, sizeof path, "%s/status", entry->name);
        found = read_status(listing.fd, path, text, size);
        *task = atoi(entry->name);
    }
    if (listing.fd >= 0)
        close(listing.fd);
    return found;
}

/* Number of a task that still has the process's memory and descriptors; 0: it has ended. */
int live_task(int host_proc, int pid)
{
    char text[4096];
    int task;
    return read_any_status(host_proc, pid, text, sizeof text, &task) ? task : 0;
}

/* What a process holds, in bytes; zeros when it is gone. */
struct held read_held(int host_proc, int pid)
{
    char text[4096];
    int task;
    if (!read_any_status(host_proc, pid, text, sizeof text, &task))
        return (struct held){0};
    if (strstr(text, "\nRssAnon:") == NULL) /* gVisor */
        return (struct held){.anonymous = 1024 * value_of(text, "\nVmRSS:")};
    return (struct held){
        .anonymous = 1024 * (value_of(text, "\nRssAnon:") + value_of(text, "\nVmSwap:")),
        .shared = 1024 * value_of(text, "\nRssShmem:"),
        .file = 1024 * value_of(text, "\nRssFile:"),
        .tables = 1024 * value_of(text, "\nVmPTE:"),
    };
}

/* "cpu waited turns", in nanoseconds, of the thread of a process that waited longest. */
static uint64_t waited_in(int host_proc, const char *name)
{
    char path[300], text[80];
    uint64_t longest = 0;
    snprintf(path, sizeof path, "%s/task", name);
    struct listing listing = {.fd = openat(host_proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    const struct entry *entry;
    while ((entry = next_entry(&listing)) != NULL) {
        snprintf(path, sizeof path, "%s/schedstat", entry->name);
        const char *space = read_file(listing.fd, path, text, sizeof text) > 0 ? strchr(text, ' ') : NULL;
        const uint64_t waited = space == NULL ? 0 : strtoull(space, NULL, 10);
        longest = waited > longest ? waited : longest;
    }
    if (listing.fd >= 0)
        close(listing.fd);
    return longest;
}

/* Threads of the process that is called `name` in /proc, if it is `leader` or, for `group`, in the group that it leads. */
static uint32_t tasks_of(int host_proc, const char *name, pid_t leader, bool group)
{
    char path[300], text[1024];
    int pgrp = 0;
    long threads = 0;
    snprintf(path, sizeof path, "%s/stat", name);
    read_file(host_proc, path, text, sizeof text);
    /* "pid (name) state ppid pgrp session tty tpgid flags 4 faults utime stime cutime cstime priority nice threads":
     * the name may hold anything, also ")". */
    const char *end = strrchr(text, ')');
    const int pid = atoi(text);
    if (end == NULL ||
        sscanf(end, ") %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", &pgrp, &threads) != 2)
        return 0;
    return (group ? pgrp == leader : pid == leader) ? (uint32_t)threads : 0;
}

/* All processes of a run: its only one, or those of the group that it leads, which nothing can leave. Returns the sum of
 * their threads, and the longest time for which a thread that lives could have run but had no core: 0 where the kernel does
 * not tell (CONFIG_SCHED_INFO, gVisor). */
static uint32_t walk_tasks(int host_proc, pid_t leader, bool group, uint64_t *longest)
{
    char name[16];
    uint32_t tasks = 0;
    struct listing listing = {.fd = -1};
    const struct entry *entry = NULL;
    snprintf(name, sizeof name, "%d", leader);
    if (group)
        listing.fd = openat(host_proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    do {
        const char *process = group ? (entry = next_entry(&listing)) == NULL ? "" : entry->name : name;
        const uint32_t found = process[0] >= '1' && process[0] <= '9' ? tasks_of(host_proc, process, leader, group) : 0;
        const uint64_t waited = found > 0 && longest != NULL ? waited_in(host_proc, process) : 0;
        tasks += found;
        if (waited > 0 && waited > *longest)
            *longest = waited;
    } while (entry != NULL);
    if (listing.fd >= 0)
        close(listing.fd);
    return tasks;
}

uint32_t count_tasks(int host_proc, pid_t leader, bool group) { return walk_tasks(host_proc, leader, group, NULL); }

uint64_t read_waited(int host_proc, int leader, bool group)
{
    uint64_t longest = 0;
    walk_tasks(host_proc, leader, group, &longest);
    return longest;
}
