/* The messages between the driver (containers/launcher/driver.py) and the launcher, over one SOCK_SEQPACKET socket.
 *
 *   driver                                   launcher
 *   SETUP + view entries, strings   ──────►  builds the slot's walls
 *                                   ◄──────  STANDING (which layers stand already) | FAILED
 *   WALLS + rules, tables, programs ──────►  makes the Landlock ruleset, keeps the seccomp programs
 *                                   ◄──────  READY (which layers stand) | FAILED (stage, index, errno)
 *   RUN + strings + descriptors     ──────►  one run
 *   STOP (same sequence number)     ──────►  ends that run, at any time
 *                                   ◄──────  RESULT (facts) | FAILED
 *   end of file                     ──────►  everything ends
 *
 * All integers are in host order: both ends are on one machine. Strings follow the fixed part, NUL-terminated, in the
 * order that the structure names. Descriptors travel beside the message in the order of the FD_ bits. */
#pragma once

#include <stdint.h>

#define WIRE_MAGIC 0x4a554447u /* "JUDG" */
#define WIRE_VERSION 1u
#define MESSAGE_MAX (128 * 1024)

enum message_kind {
    MESSAGE_SETUP = 1,
    MESSAGE_RUN,
    MESSAGE_STOP,
    MESSAGE_READY,
    MESSAGE_RESULT,
    MESSAGE_FAILED,
    MESSAGE_STANDING,
    MESSAGE_WALLS
};

struct header {
    uint32_t magic, version, kind, sequence;
};

/* Layers: asked for in SETUP, standing in READY. Bit numbers are known to the driver (layers.py). */
enum layer {
    LAYER_USER = 1 << 0,      /* a user namespace (unprivileged start) */
    LAYER_PID = 1 << 1,       /* a pid namespace for each run */
    LAYER_MOUNT = 1 << 2,     /* a mount namespace for each run, minimal read-only view */
    LAYER_NET = 1 << 3,       /* a network namespace with nothing in it */
    LAYER_IPC = 1 << 4,       /* an IPC namespace for each run */
    LAYER_UTS = 1 << 5,       /* an own host name */
    LAYER_CGROUPNS = 1 << 6,  /* an own view of the cgroup tree */
    LAYER_PIVOT = 1 << 7,     /* the old root is gone; without it: chroot in the private mount namespace */
    LAYER_PROC = 1 << 8,      /* a fresh /proc of the run's own pid namespace */
    LAYER_UID = 1 << 9,       /* a user id of its own */
    LAYER_CGROUP = 1 << 10,   /* the slot lives in a cgroup with a memory limit */
    LAYER_SECCOMP = 1 << 11,  /* default-deny system call table */
    LAYER_NOTIFY = 1 << 12,   /* suspicious calls are recorded */
    LAYER_LANDLOCK = 1 << 13, /* no writing outside the working directory, no TCP, no signals out */
    LAYER_RLIMIT = 1 << 14,
    LAYER_QUOTA = 1 << 15,  /* creations and bytes of files are counted: there is no fresh tmpfs for each run */
    LAYER_VETTED = 1 << 16, /* for want of mounts and Landlock, every path is looked at by the listener */
    LAYER_CPU = 1 << 17,    /* the CPU time of all that ever ran is counted, also of what nobody waited for */
};

enum view_kind {
    VIEW_BIND = 1, /* host path, read-only, at the target */
    VIEW_DEVICE,   /* host device node at the target */
    VIEW_SYMLINK,  /* symbolic link at the target with this content */
    VIEW_TEXT,     /* file at the target with this content */
    VIEW_MASK,     /* empty directory over the target, if the target exists; source unused */
    VIEW_HOME,     /* no mount namespace of the launcher's: the slot's private directory, in place of BOX */
    VIEW_LIST,     /* no mount namespace: this directory may be listed, what is in it not read */
};
#define VIEW_MAX 2048

enum setup_fd {
    FD_CGROUP_LIMIT = 1 << 0,  /* memory.max | memory.limit_in_bytes */
    FD_CGROUP_EVENTS = 1 << 1, /* memory.events | memory.oom_control: the line "oom_kill N" */
    FD_CGROUP_PEAK = 1 << 2,   /* memory.peak | memory.max_usage_in_bytes */
    FD_CGROUP_PIDS = 1 << 3,   /* pids.max */
    FD_CGROUP_CPU = 1 << 4,    /* cpu.stat | cpuacct.usage */
};
#define SETUP_FDS 5

struct setup {
    struct header header;
    uint32_t layers; /* wanted */
    uint32_t fds;    /* setup_fd bits */
    uint32_t uid;    /* LAYER_UID: run as this user; LAYER_USER: our user outside */
    uint32_t gid;
    uint32_t views; /* then for each: char kind, string source, string target */
};

struct standing {
    struct header header;
    uint32_t layers;
    uint32_t landlock_abi; /* that the kernel knows; 0: none, or not asked for */
    uint32_t tmpfs;        /* 1: the directory of runs is a tmpfs of its own */
};

/* The driver makes the other walls of a slot for what stands of it (containers/launcher/{walls,landlock}.py, filters). */
enum filter {
    FILTER_THREADS = 0,
    FILTER_PROCESSES,
    FILTER_MODES,
    FILTER_TOOL,
    FILTER_APART, /* around a run that has siblings, too */
    FILTER_APART_THREADED,
    FILTER_HELPER, /* of the launcher and the stub */
};
#define FILTERS 7
#define CODE_MAX 8192 /* instructions of all of them */
#define OWN_MAX 8
#define LISTENED_MAX 64
#define USES_MAX 64
#define LANDLOCK_SETS 3

struct walls {
    struct header header;
    uint64_t secret; /* who shows it executes without a look, where paths are vetted: in no program's memory */
    uint64_t landlock[LANDLOCK_SETS]; /* the ruleset: rights on files, rights on the network, what is scoped */
    uint32_t landlock_bytes;          /* how much of that this kernel knows; 0: no Landlock */
    uint32_t rules, uses, listened;
    /* then: rules x (struct rule, string path), uses x struct use, listened x struct listened,
     * FILTERS x (struct program, length x struct sock_filter) */
};

/* Rights below a path. */
struct rule {
    uint64_t access, of_file; /* the second: of what is no directory */
};

/* How a call names a file, where the listener looks at each: numbers of its arguments. */
struct use {
    uint32_t call;
    int32_t directory, name; /* directory -1: the working directory */
    int32_t how;             /* the number of an open's flags, or use_how */
};
enum use_how {
    USE_DIRECTORY = -1, /* the name's directory is changed */
    USE_CONTENT = -2,   /* the file is, through links */
    USE_EXECUTE = -3,   /* the file is executed */
    USE_ENTER = -4,     /* the directory becomes the working directory */
    USE_LINK = -5,      /* the link is read */
};

/* What the listener counts a call as. */
enum count {
    COUNT_NONE = 0, /* refused, and remembered */
    COUNT_NAME,     /* of a file that is not made */
    COUNT_FILE,
    COUNT_TASK,
    COUNT_SHARED,
    COUNT_SIGNAL,
};

/* A call that the listener counts, by the bits of one argument: an enum count with any of them, and one without. */
struct listened {
    uint32_t call, argument, bits, with_bits, without;
};

struct program {
    uint32_t length;
    uint32_t owns, own[OWN_MAX]; /* instructions that compare with the number of the program's own process */
};

struct ready {
    struct header header;
    uint32_t layers; /* standing */
};

enum run_fd {
    FD_STDIN = 1 << 0,
    FD_STDOUT = 1 << 1,
    FD_STDERR = 1 << 2,
    FD_EXECUTABLE = 1 << 3,
    FD_BUNDLE = 1 << 4,  /* contents of the files, one after the other */
    FD_COLLECT = 1 << 5, /* a pipe that receives the collected files, one after the other */
    FD_PIPE = 1 << 6,    /* this bit and those above it: more descriptors of the program, as PIPES, PIPES + 1, … */
};
#define RUN_FDS 30
#define PIPE_BIT 6 /* of FD_PIPE */
#define PIPES 100  /* above what the stub opens, with which the program shares a table until exec */

#define ARGS_MAX 512
#define ENV_MAX 64
#define FILES_MAX 192
#define LIMITS_MAX 16
#define COLLECT_MAX 16
#define COLLECT_ALL "." /* alone: every regular file of the working directory itself, each behind its name */

enum run_flag {
    RUN_WATCH = 1 << 0,    /* watch memory */
    RUN_APART = 1 << 1,    /* it has siblings, to which it must not signal (filters/apart.py) */
    RUN_THREADED = 1 << 2, /* of a runtime that has threads from its start */
    RUN_TOOL = 1 << 3,     /* the program and its arguments are ours; without it, a submission's code is executed */
    RUN_MODES = 1 << 4,    /* it shares no file with another run: it may set modes, and so execute what it compiles */
};

enum file_flag {
    FILE_WORK = 1 << 0,
    FILE_EXECUTABLE = 1 << 1,
    FILE_PROGRAM = 1 << 2, /* what is executed, where no descriptor can be (gVisor) */
};

struct run {
    struct header header;
    uint64_t cpu_ns; /* 0: no CPU limit */
    uint64_t wall_ns;
    uint64_t memory_bytes;    /* of the program */
    uint64_t cgroup_bytes;    /* of the slot's cgroup: the program's and what the launcher needs */
    uint64_t directory_bytes; /* also of all collected files together */
    uint32_t directory_inodes;
    uint32_t threads;   /* tasks of the run at once, the first included */
    uint32_t processes; /* 0: threads only */
    uint32_t limits;
    uint32_t flags; /* run_flag bits */
    uint32_t fds;   /* run_fd bits */
    uint32_t args, envs, files, collects;
    /* then: limits x struct limit, args strings, envs strings, files x (struct file_entry, string name), collects strings */
};

/* For setrlimit. */
struct limit {
    uint32_t resource, optional; /* 1: the filter refuses what it bounds too, so the kernel may not keep it */
    uint64_t soft, hard;
};

struct file_entry {
    uint64_t bytes;
    uint32_t flags; /* file_flag */
} __attribute__((packed));

enum reason {
    REASON_NONE = 0, /* ended by itself */
    REASON_CPU,
    REASON_WALL,
    REASON_MEMORY, /* the watcher */
    REASON_OOM,    /* the kernel, in our cgroup */
    REASON_STOP,   /* STOP arrived */
    REASON_FILES,  /* more bytes in the directory than allowed */
};
#define SUSPICIOUS_MAX 16

struct result {
    struct header header;
    uint32_t reason;
    int32_t status; /* as wait(2) gives it */
    uint64_t cpu_ns, wall_ns;
    uint64_t ended_ns;  /* when the program's end was seen, on CLOCK_MONOTONIC */
    uint64_t waited_ns; /* for a core, and so left out of the wall limit; not looked at before that is reached */
    uint64_t maxrss_bytes;
    uint64_t peak_bytes;      /* of the cgroup; 0: unknown */
    uint64_t anonymous_bytes; /* largest seen by the watcher: anonymous, shared, swapped, files in the directory */
    uint64_t file_bytes;      /* largest seen by the watcher: file pages, which maxrss holds too */
    uint64_t kept_bytes;      /* files in the directory at the end, beyond those that the run was given */
    int32_t exec_errno;
    uint32_t suspicious_count;
    int32_t suspicious[SUSPICIOUS_MAX]; /* system call numbers */
    int64_t collected[COLLECT_MAX];     /* bytes; -1: no such regular file, or too much with those before */
};

struct failed {
    struct header header;
    uint32_t stage; /* enum stage */
    int32_t index;
    int32_t error; /* errno */
};

/* Where something failed; the driver words it (layers.py). */
enum stage {
    STAGE_PROTOCOL = 1,
    STAGE_PROC,
    STAGE_USERNS,
    STAGE_UNSHARE,
    STAGE_PRIVATE,
    STAGE_ROOT,
    STAGE_VIEW,
    STAGE_READONLY,
    STAGE_PIVOT,
    STAGE_PROCFS,
    STAGE_LANDLOCK,
    STAGE_SECCOMP,
    STAGE_CAPABILITIES,
    STAGE_CLONE,
    STAGE_STUB,
    STAGE_TMPFS,
    STAGE_FILES,
    STAGE_CGROUP,
    STAGE_STREAMS,
    STAGE_TIMER,
    STAGE_RLIMIT,
    STAGE_CREDENTIALS,
    STAGE_FILTER,
    STAGE_REAP,
    STAGE_COLLECT,
    STAGE_INTERPRETER,
};
