/* meter.c: the cgroup is read and set, memory is watched; nameless.c: files that have no name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "slot.h"

uint64_t now_ns(void);
ssize_t read_file(int directory, const char *path, char *buffer, size_t size);
uint64_t value_of(const char *text, const char *key);
int set_number(int fd, uint64_t value);
uint64_t read_number(int fd);
uint64_t read_cpu_ns(int fd);
struct oom_events {
    uint64_t kills; /* of processes in the cgroup, whosever limit was the cause */
    uint64_t own;   /* times that its own limit was the cause; version 2 only */
};
bool read_oom_events(int events, struct oom_events *out);
int program_number(int host_proc);
struct held {
    uint64_t anonymous; /* with swapped memory */
    uint64_t shared;    /* without */
    uint64_t file;      /* the kernel can take it back: does not count */
    uint64_t tables;    /* the kernel's page tables for it */
};
struct held read_held(int host_proc, int pid);
uint64_t read_waited(int host_proc, int leader, bool group);
uint32_t count_tasks(int host_proc, pid_t leader, bool group);
int live_task(int host_proc, int pid);

bool read_deleted(const struct slot *slot, pid_t pid, uint64_t each, uint64_t *bytes);
