/* What the launcher's parts share. */
#ifndef JUDGE_LAUNCHER_H
#define JUDGE_LAUNCHER_H

#include <limits.h>
#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "request.h"

/* Where a run's directories are, with a mount namespace: BOX_NAME below BOX_PARENT. */
#define BOX_PARENT "/box"
#define BOX_NAME "/run"
#define BOX_INODES 3      /* itself, work, in */
#define PROGRAM "program" /* in it, where it is executed by its path */

#define SLOT_TASKS 2 /* the launcher and the stub */

/* What a filter is to do where tiers and kinds of runs differ. */
struct filter_kind {
    bool helper;    /* not of a run: of the launcher and the stub */
    bool processes; /* fork and its family are allowed (compilers) */
    bool notify;    /* there is a listener */
    bool files;     /* the listener counts the creation of files: no tmpfs does */
    bool threads;   /* the listener counts tasks: neither a cgroup nor the kernel's count of a user's does */
    bool truncates; /* truncate is walled like writing: Landlock knows it since its third version */
    bool shared;    /* the listener counts shared memory: no cgroup does */
    bool vetted;    /* the listener looks at every path that is opened or changed */
    bool signals;   /* the listener looks at whom a compiler signals: no pid namespace hides the others */
    uint64_t pass;  /* who shows it executes without a look */
};

struct filter {
    struct sock_fprog program;
    unsigned short own[8]; /* instructions that compare with the program's own number */
    unsigned own_count;
};

/* The slot: everything that setup prepared. */
struct slot {
    int socket;
    uint32_t layers; /* standing */
    uint32_t uid, gid;
    uint32_t core_soft;
    int host_proc; /* /proc of the namespace that we started in; never reachable from a run */
    int null;      /* what 0, 1 and 2 are between runs */
    int landlock;  /* ruleset */
    unsigned landlock_abi;
    const char *proc_options;
    char box[PATH_MAX];
    uint64_t box_bytes; /* its size as a tmpfs, and its inodes */
    uint32_t box_inodes;
    bool tmpfs;  /* the box is a tmpfs of its own: what is in it is memory, and counted by its file system */
    bool sentry; /* the kernel is gVisor's: no tmpfs bounds inodes, and /proc hides nobody */
    pid_t launcher;
    int living; /* pidfd of the launcher: readable once the launcher has ended; -1: this kernel has no pidfd */
    const struct setup_request *setup; /* its view entries, for vet */
    int cgroup_limit, cgroup_events, cgroup_peak, cgroup_pids, cgroup_empty, cgroup_kernel;
    uint64_t limit_now, pids_now; /* what the cgroup files hold */
    uint64_t last_peak;           /* of the cgroup in the last run */
    struct run_request request;
    struct filter filters[2]; /* [0] threads only, [1] processes allowed */
    uint64_t pass;            /* by chance, and in no program's memory: filter_kind */
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
        .cgroup_pids = -1, .cgroup_empty = -1, .cgroup_kernel = -1, .box_bytes = 4096, .box_inodes = BOX_INODES        \
    }

/* Where the last failure was: set by TRY, sent to the driver as numbers. */
struct failure {
    int stage, index, error;
};
extern struct failure failure;

int fail(int stage, int index); /* records errno, returns -1 */
void send_failure(int socket, uint32_t sequence);

#define TRY(call, stage, index)                                                                                        \
    do {                                                                                                               \
        if ((call) < 0)                                                                                                \
            return fail((stage), (index));                                                                             \
    } while (0)

/* launcher.c: the steps of a launcher's life. */
int prepare_process(struct slot *slot);
int set_up(struct slot *slot);         /* receives SETUP */
int announce(const struct slot *slot); /* all walls stand, also those around the launcher itself */
int serve(struct slot *slot);          /* the exit status */
int await_request(struct slot *slot, int *fds);

/* How main.c starts an interpreter for interpreter.c. */
#define INTERPRETER_SOCKET 3
#define INTERPRETER_LIBRARY 4
#define INTERPRETER_PRELOAD "LD_PRELOAD=/proc/self/fd/4"

/* In that library: memory that a run goes on with, when what came before it is forgotten. */
#define KEPT __attribute__((section(".data")))

/* thread.c */
int *find_thread_number(int *cleared);
void tell_stack_by(int proc); /* -1: as ever */

/* cpython.c */
void prepare_cpython(void);
void end_cpython_as_ever(void);

/* powers.c: capabilities, and the user that files are looked at as. From set-up on, always in one of these: */
enum phase {
    PHASE_WAIT,    /* the launcher, while it has a stub */
    PHASE_PREPARE, /* the stub, before and after a run: nothing of a program is left */
    PHASE_RUN,     /* the stub, while a program runs, and until all that it left is looked at */
};
int enter_phase(const struct slot *slot, enum phase phase);
int limit_calls(const struct slot *slot); /* the launcher's, and those of all that it starts */

/* view.c: namespaces and the minimal root. */
int build_view(struct slot *slot, const struct setup_request *request);

/* filter.c: the system call table. Programs are built once; for each run the program's own number is put in. */
int build_filter(struct filter *out, struct filter_kind kind);
void put_own_number(struct filter *filter, pid_t pid);
enum counted {
    COUNT_NONE,
    COUNT_NAME /* of a file that is not made */,
    COUNT_FILE,
    COUNT_TASK,
    COUNT_SHARED,
    COUNT_SIGNAL
};
enum counted counted_as(int call, const unsigned long long *arguments);
int print_table(void); /* number, name and action of every row: for people, and for the driver's reports */

/* walls.c: what is put on the program itself, in the child, just before exec. */
int prepare_walls(struct slot *slot, const struct setup_request *request);
int enter_walls(struct slot *slot, const struct run *run, pid_t stub, int *listener);
int offer_to_oom_killer(const struct slot *slot, const char *process); /* 1: not yet */

/* nameless.c */
bool read_deleted(const struct slot *slot, pid_t pid, uint64_t each, uint64_t *bytes);

/* vet.c: what may be opened and changed, where neither mounts nor Landlock say it. 0, or the error to answer. */
int vet(const struct slot *slot, pid_t caller, int call, const unsigned long long *arguments);
int vet_executable(const struct slot *slot, int fd);

/* meter.c: reading and setting the cgroup, watching memory. */
uint64_t now_ns(void);
int set_number(int fd, uint64_t value);
uint64_t read_number(int fd);
uint64_t empty_cgroup(const struct slot *slot, uint64_t limit); /* what could not be taken back */
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
uint64_t read_waited(int host_proc, int pid);
bool read_sentry(int host_proc, uint64_t *bytes);
uint32_t count_tasks(int host_proc, pid_t leader, bool group);
int live_task(int host_proc, int pid);

/* One directory's entries, without an allocation. */
struct listing {
    int fd;
    long at, got;
    char buffer[2048] __attribute__((aligned(8)));
};
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

const struct entry *next_entry(struct listing *listing); /* box.c */

/* box.c: the directories of a run. */
int prepare_proc(const struct slot *slot);
int open_box(const struct slot *slot);
int fill_box(struct slot *slot, const struct run_request *request, int bundle);
uint64_t box_used(const struct slot *slot);
uint32_t box_inodes(const struct slot *slot);
int collect_files(const struct slot *slot, int out, int64_t *collected);
int empty_box(const struct slot *slot);
int remove_tree(const char *path);

/* stub.c: runs, one after the other; this is pid 1 of them. Never returns: it exits with one of these. */
enum stub_status {
    STUB_DONE /* the next one may come */,
    STUB_ENDED /* the driver has */,
    STUB_FAILED /* and left `failure` */
};
_Noreturn void stub_main(struct slot *slot);

#endif
