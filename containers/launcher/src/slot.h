/* The slot: what set-up prepared, and every run uses. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "failure.h"
#include "request.h"

/* Where a run's directories are, with a mount namespace: BOX_NAME below BOX_PARENT. */
#define BOX_PARENT "/box"
#define BOX_NAME "/run"
#define BOX_INODES 3      /* itself, work, in */
#define PROGRAM "program" /* in it, where it is executed by its path */

#define SLOT_TASKS 2 /* the launcher and the stub */

/* The slot: everything that setup prepared. */
struct slot {
    int socket;
    uint32_t layers; /* standing */
    uint32_t uid, gid;
    int host_proc; /* /proc of the namespace that we started in; never reachable from a run */
    int null;      /* what 0, 1 and 2 are between runs */
    int landlock;  /* ruleset */
    unsigned landlock_abi;
    const char *proc_options;
    char box[PATH_MAX];
    uint64_t box_bytes; /* its size as a tmpfs, and its inodes */
    uint32_t box_inodes;
    bool tmpfs; /* the box is a tmpfs of its own: what is in it is memory, and counted by its file system */
    pid_t launcher;
    int living; /* pidfd of the launcher: readable once the launcher has ended; -1: this kernel has no pidfd */
    const struct setup_request *setup; /* its view entries, for vet */
    int cgroup_limit, cgroup_events, cgroup_peak, cgroup_pids, cgroup_cpu;
    uint64_t limit_now, pids_now; /* what the cgroup files hold */
    struct run_request request;
    struct walls_request *walls;
    /* In an interpreter that is held (interpreter.c), runs go on from there; NULL: they execute a program. */
    void (*go_on)(void);
    int *thread;         /* where the C library keeps the number of the first thread */
    int *cleared;        /* what the kernel clears when that ends */
    void *robust;        /* its list of robust locks, as it told the kernel */
    size_t robust_bytes; /* size of the list's head */
};
#define NO_SLOT                                                                                                        \
    {                                                                                                                  \
        .socket = -1, .living = -1, .landlock = -1, .cgroup_limit = -1, .cgroup_events = -1, .cgroup_peak = -1,        \
        .cgroup_pids = -1, .cgroup_cpu = -1, .box_bytes = 4096, .box_inodes = BOX_INODES                               \
    }
