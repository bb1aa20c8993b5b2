/* stub.c, watch.c and spawn.c share this: one run. */
#pragma once

#include <sys/resource.h>
#include <time.h>

#include "meter.h"
#include "slot.h"

/* The run while it goes on. Shared with the child until exec, which reports into it. */
struct live {
    struct slot *slot;
    const struct run_request *request;
    int fds[RUN_FDS];
    pid_t stub, program; /* as the run's own namespace numbers them */
    int signals;         /* signalfd: SIGCHLD and the CPU timer */
    int numbers;         /* takes the last number that was dealt out in the pid namespace; -1: it cannot be said */
    bool timed;          /* there is a CPU timer */
    timer_t timer;
    int listener;
    int exec_errno;
    uint64_t program_bytes; /* of the program as a file of the run; 0: it is a descriptor, or of the view */
    bool entered;           /* all walls stood, exec was tried */
    int offered;            /* 1: the kernel did not let it be offered yet */
    int host_number;
    uint64_t began_ns, watch_at_ns, files_at_ns, counters_at_ns;
    uint64_t cpu_began, cpu_own;  /* of the cgroup, and of the stub in it, when the run began */
    uint32_t created;             /* files and directories, where they are counted */
    bool looked;                  /* for files without a name: the kernel lets us */
    bool threaded;                /* asked for a thread, where they are counted */
    int executable;               /* where paths are vetted: the program */
    uint64_t mapped_left;         /* bytes of files that may still be mapped shared, where they are counted */
    uint64_t shared;              /* bytes of shared memory that was made: it is held, seen or not */
    uint64_t box_began;           /* bytes of the files that the run was given */
    uint64_t input_bytes;         /* size of a regular input; its descriptor, fds[0], stays open */
    uint64_t file_least, file_ns; /* bytes that are a file's at most, as seen since then */
    uint64_t sentry_began;        /* bytes that all held without the program, at most */
    struct oom_events oom_before;
    struct result result;
};

#define NEVER UINT64_MAX

static inline uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* watch.c */
#define WATCH_MIN_NS 1000000ull /* look again after headroom / 10 GB/s, but not sooner than this */
#define WATCH_MAX_NS 100000000ull
#define FILES_PAUSE_NS 20000000ull
void begin_watch(struct live *live);
int watch(struct live *live, uint64_t now);
uint64_t files_kept(const struct live *live);
uint64_t mapped_input(const struct live *live);

/* stub.c */
void add_usage(struct result *result, const struct rusage *usage);

/* spawn.c */
void kill_all(const struct live *live);
void stop(struct live *live, enum reason reason);
int spawn(struct live *live);       /* starts the program: with it, all walls stand */
int find_number(struct live *live); /* its number in the launcher's /proc; -1 where the kernel does not tell */
