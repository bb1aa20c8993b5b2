/* The system call table of a run, and the classic BPF program made of it.
 *
 * Default deny: what is not in the table gets ENOSYS, as on a kernel that lacks it, so that a C library falls back.
 * The program is a binary search over call numbers, without an instruction too many: a filter is copied, checked,
 * emulated and compiled by the kernel for every run, and a linear one of 300 calls costs as much as the run itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>

#include "launcher.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the system call table is written for x86-64 and aarch64"
#endif

enum action {
    NONE, /* not in the table: ENOSYS */
    ALLOW,
    REFUSE,   /* EPERM: an honest program may try it and go on */
    REPORT,   /* EPERM, and recorded: no solution has an honest use for it */
    PROCESS,  /* EAGAIN in a run, allowed where processes are */
    BUILD,    /* EPERM in a run, allowed where processes are (compilers set modes and times of their output) */
    CREATE,   /* makes a file: counted where no tmpfs bounds them */
    CHANGE,   /* changes a directory */
    ALLOCATE, /* EOPNOTSUPP where looking bounds the bytes of files: it is faster than any look */
    TRUNCATE,
    SELF,    /* sends a signal: to the program itself only */
    LACKING, /* EOPNOTSUPP, as where the file system knows no extended attributes */
    /* by their arguments, below: */
    CLONE,
    OPEN,
    OPENAT,
    PRCTL,
    IOCTL,
    FCNTL,
    MAP,
    SETRLIMIT,
    PRLIMIT,
    CLOCK,
    PERSONALITY,
    SOCKETPAIR,
    SCHEDULER,
};

struct row {
    int number;
    enum action action;
    const char *name, *action_name;
};

static const struct row table[] = {
#define ROW(name, action) {SYS_##name, action, #name, #action},
#include "syscalls.h"
#undef ROW
};
#define ROWS (sizeof table / sizeof *table)

/* Arguments of prctl, ioctl and fcntl that are allowed; every other value is refused. */
static const uint32_t prctl_allowed[] = {
    PR_SET_NAME,       PR_GET_NAME,         PR_GET_DUMPABLE,
    PR_CAPBSET_READ,   PR_GET_NO_NEW_PRIVS, PR_SET_NO_NEW_PRIVS,
    PR_GET_TIMERSLACK, PR_GET_PDEATHSIG,    0x53564d41 /* PR_SET_VMA: names of mappings */,
};
static const uint32_t ioctl_allowed[] = {TCGETS, FIONREAD, FIOCLEX, FIONCLEX, FIONBIO, TIOCGWINSZ};
/* No locks or leases (inputs are shared between runs: a covert channel), no F_SETOWN, no F_SETPIPE_SZ (kernel memory). */
static const uint32_t fcntl_allowed[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD,
                                         F_GETFL, F_SETFL,         1032 /* F_GETPIPE_SZ */};
/* Linkers and build tools lock their output. */
static const uint32_t fcntl_build[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
                                       1032,    F_GETLK,         F_SETLK, F_SETLKW};

static const uint32_t clone_needed[] = {CLONE_THREAD, CLONE_FILES};

#define CLONE_NAMESPACES                                                                                               \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |       \
     0x80 /* CLONE_NEWTIME */)

/* What is done with a call, in the order in which it is carried out. Ends with a return on every way. */
#define BLOCK_MAX 32
#define OWN_MAX 2
struct code {
    struct sock_filter at[BLOCK_MAX];
    unsigned short length;
    unsigned short own[OWN_MAX]; /* instructions that compare with the program's own number */
    unsigned own_count;
    struct filter_kind kind;
};

static void emit(struct code *code, uint16_t op, uint32_t value, uint8_t yes, uint8_t no)
{
    if (code->length < BLOCK_MAX)
        code->at[code->length] = (struct sock_filter){op, yes, no, value};
    code->length++;
}

static void emit_return(struct code *code, uint32_t value) { emit(code, BPF_RET | BPF_K, value, 0, 0); }
static void emit_errno(struct code *code, int error) { emit_return(code, SECCOMP_RET_ERRNO | (uint32_t)error); }
static void emit_load(struct code *code, size_t offset)
{
    emit(code, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Low half of an argument; both machines are little-endian. */
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + 8 * (n))

static void emit_one_of(struct code *code, int argument, const uint32_t *values, size_t count, int error)
{
    emit_load(code, ARGUMENT(argument));
    for (size_t i = 0; i < count; i++)
        emit(code, BPF_JMP | BPF_JEQ | BPF_K, values[i], (uint8_t)(count - i), 0);
    emit_errno(code, error);
    emit_return(code, SECCOMP_RET_ALLOW);
}
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void emit_report(struct code *code)
{
    if (code->kind.notify)
        emit_return(code, SECCOMP_RET_USER_NOTIF);
    else
        emit_errno(code, EPERM);
}

static void emit_counted(struct code *code, bool counted)
{
    emit_return(code, counted ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW);
}

/* Threads, never namespaces; new processes only where the run may have them. */
static void emit_clone(struct code *code)
{
    emit_load(code, ARGUMENT(0));
    emit(code, BPF_JMP | BPF_JSET | BPF_K, (uint32_t)CLONE_NAMESPACES, 0, 1);
    emit_report(code);
    if (!code->kind.processes) {
        /* One table of descriptors for all: the limit is for each table. */
        for (size_t i = 0; i < COUNT(clone_needed); i++) {
            emit(code, BPF_JMP | BPF_JSET | BPF_K, clone_needed[i], 1, 0);
            emit_errno(code, EAGAIN);
        }
    }
    emit_counted(code, code->kind.threads);
}

/* Flags that make a file; O_TMPFILE without the O_DIRECTORY that it holds. */
#define CREATING (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))

static void emit_open(struct code *code, int flags)
{
    /* Truncates what may only be read: no honest use, and not every Landlock sees it. */
    emit_load(code, ARGUMENT(flags));
    emit(code, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_TRUNC, 0, 0);
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, O_RDONLY | O_TRUNC, 0, 1);
    emit_errno(code, EACCES);
    if (code->kind.vetted) {
        emit_return(code, SECCOMP_RET_USER_NOTIF);
        return;
    }
    if (code->kind.files) {
        emit_load(code, ARGUMENT(flags));
        emit(code, BPF_JMP | BPF_JSET | BPF_K, CREATING, 0, 1);
        emit_return(code, SECCOMP_RET_USER_NOTIF);
    }
    emit_return(code, SECCOMP_RET_ALLOW);
}

/* Shared memory stays when it is unmapped, as long as a page of its object is mapped, and is then seen nowhere. */
static void emit_map(struct code *code)
{
    if (code->kind.shared && !code->kind.processes) {
        emit_load(code, ARGUMENT(3));
        emit(code, BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1);
        emit_return(code, SECCOMP_RET_USER_NOTIF);
    }
    emit_return(code, SECCOMP_RET_ALLOW);
}

/* Allows if the accumulator is the program's own number, which is not known yet: put_own_number. */
static void emit_if_own(struct code *code)
{
    if (code->own_count < OWN_MAX)
        code->own[code->own_count++] = code->length;
    else
        code->length = BLOCK_MAX; /* no room for it: no filter */
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    emit_return(code, SECCOMP_RET_ALLOW);
}

/* Two ends of one stream, as Java makes at the first file that it opens: no more than a pipe, as no call is allowed that
 * could name another socket, pass descriptors (sendmsg) or enlarge its buffers (setsockopt). Nothing but Unix streams. */
static void emit_socketpair(struct code *code)
{
    emit_load(code, ARGUMENT(0));
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 4);
    emit_load(code, ARGUMENT(1));
    emit(code, BPF_ALU | BPF_AND | BPF_K, (uint32_t) ~(SOCK_CLOEXEC | SOCK_NONBLOCK), 0, 0);
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 0, 1);
    emit_return(code, SECCOMP_RET_ALLOW);
    emit_errno(code, EPERM);
}

/* Free Pascal gives each new thread the policy that it has anyway: told yes, and nothing is done. */
static void emit_scheduler(struct code *code)
{
    emit_load(code, ARGUMENT(1));
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, SCHED_OTHER, 0, 1);
    emit_errno(code, 0);
    emit_errno(code, EPERM);
}

static void emit_self(struct code *code)
{
    emit_load(code, ARGUMENT(0));
    emit_if_own(code);
    emit_errno(code, EPERM);
}

/* Not to the stub: it is the first process of a pid namespace, which Linux shields, and gVisor does not. */
static void emit_not_first(struct code *code)
{
    emit_load(code, ARGUMENT(0));
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1);
    emit_errno(code, EPERM);
    emit_return(code, SECCOMP_RET_ALLOW);
}

/* Limits of oneself, but for that of core dumps: where core_pattern names a handler, the kernel starts it outside at
 * every limit but the one that is set here. Answered as if done: sanitizers give up where it fails. */
static void emit_core_kept(struct code *code, int resource)
{
    emit_load(code, ARGUMENT(resource));
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_CORE, 0, 1);
    emit_errno(code, 0);
    emit_return(code, SECCOMP_RET_ALLOW);
}

static void emit_prlimit(struct code *code)
{
    emit_load(code, ARGUMENT(0));
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    emit_errno(code, EPERM);
    for (int half = 0; half < 2; half++) { /* reads only: no new limit is given */
        emit_load(code, ARGUMENT(2) + (size_t)half * sizeof(uint32_t));
        emit(code, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, half == 0 ? 3 : 1);
    }
    emit_return(code, SECCOMP_RET_ALLOW);
    emit_core_kept(code, 1);
}

/* The CPU clock of a process is ~pid << 3 and its kind in the low bits: anybody's may be read, and slept on. Those of
 * threads (bit 2) the kernel gives to their own process alone. */
static void emit_clock(struct code *code)
{
    emit_load(code, ARGUMENT(0));
    emit(code, BPF_JMP | BPF_JSET | BPF_K, 0x80000000, 1, 0);
    emit_return(code, SECCOMP_RET_ALLOW);
    emit(code, BPF_JMP | BPF_JSET | BPF_K, 4, 0, 1);
    emit_return(code, SECCOMP_RET_ALLOW);
    emit(code, BPF_ALU | BPF_XOR | BPF_K, 0xffffffff, 0, 0);
    emit(code, BPF_ALU | BPF_RSH | BPF_K, 3, 0, 0);
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    emit_return(code, SECCOMP_RET_ALLOW);
    emit_if_own(code);
    emit_errno(code, EINVAL); /* as if there were no such process */
}

void put_own_number(struct filter *filter, pid_t pid)
{
    for (unsigned i = 0; i < filter->own_count; i++)
        filter->program.filter[filter->own[i]].k = (uint32_t)pid;
}

static void emit_action(struct code *code, enum action action)
{
    static const uint32_t query[] = {0, 0xffffffff};
    switch (action) {
    case NONE: emit_errno(code, ENOSYS); break;
    case ALLOW: emit_return(code, SECCOMP_RET_ALLOW); break;
    case REFUSE: emit_errno(code, EPERM); break;
    case LACKING: emit_errno(code, EOPNOTSUPP); break;
    case REPORT: emit_report(code); break;
    case PROCESS:
        if (code->kind.processes)
            emit_counted(code, code->kind.threads);
        else
            emit_errno(code, EAGAIN);
        break;
    case BUILD:
        if (code->kind.processes)
            emit_return(code, SECCOMP_RET_ALLOW);
        else
            emit_errno(code, EPERM);
        break;
    case CREATE: emit_counted(code, code->kind.files); break;
    case ALLOCATE:
        if (code->kind.files)
            emit_errno(code, EOPNOTSUPP);
        else
            emit_return(code, SECCOMP_RET_ALLOW);
        break;
    case MAP: emit_map(code); break;
    case CHANGE: emit_counted(code, code->kind.vetted); break;
    case TRUNCATE:
        if (code->kind.truncates)
            emit_counted(code, code->kind.vetted);
        else
            emit_errno(code, EACCES);
        break;
    case SELF:
        if (code->kind.processes) /* compilers: their sources cannot make them signal */
            emit_not_first(code);
        else
            emit_self(code);
        break;
    case CLONE: emit_clone(code); break;
    case OPEN: emit_open(code, 1); break;
    case OPENAT: emit_open(code, 2); break;
    case PRCTL: emit_one_of(code, 0, prctl_allowed, COUNT(prctl_allowed), EPERM); break;
    case IOCTL: emit_one_of(code, 1, ioctl_allowed, COUNT(ioctl_allowed), ENOTTY); break;
    case FCNTL:
        if (code->kind.processes)
            emit_one_of(code, 1, fcntl_build, COUNT(fcntl_build), EPERM);
        else
            emit_one_of(code, 1, fcntl_allowed, COUNT(fcntl_allowed), EPERM);
        break;
    case SETRLIMIT: emit_core_kept(code, 0); break;
    case PRLIMIT: emit_prlimit(code); break;
    case CLOCK:
        if (code->kind.processes) /* children have numbers of their own */
            emit_return(code, SECCOMP_RET_ALLOW);
        else
            emit_clock(code);
        break;
    case PERSONALITY: emit_one_of(code, 0, query, 2, EPERM); break;
    case SOCKETPAIR: emit_socketpair(code); break;
    case SCHEDULER: emit_scheduler(code); break;
    }
}

#define ACTIONS (SCHEDULER + 1)

/* The program while it is written, from its end: jumps lead forward, so all that they lead to is known. */
#define ROOM 1024
struct writer {
    struct sock_filter *at; /* [ROOM] */
    int first;              /* what is written is at[first..ROOM); negative: there was no room */
    struct code blocks[ACTIONS];
    enum action same[ACTIONS]; /* the first action that does the same */
    int entry[ACTIONS];        /* where it was written last; 0: nowhere */
    struct filter *filter;
};

static int put(struct writer *writer, const struct sock_filter *instructions, int count)
{
    writer->first -= count;
    if (writer->first > 0)
        memcpy(writer->at + writer->first, instructions, (size_t)count * sizeof *instructions);
    return writer->first;
}

static int put_block(struct writer *writer, enum action action)
{
    const struct code *block = &writer->blocks[action];
    struct filter *filter = writer->filter;
    const int entry = put(writer, block->at, block->length);
    for (unsigned i = 0; i < block->own_count; i++)
        if (filter->own_count < COUNT(filter->own))
            filter->own[filter->own_count++] = (unsigned short)(entry + block->own[i]);
        else
            writer->first = -1;
    return writer->entry[action] = entry;
}

/* Where a conditional jump that is written next can go on to, for what lies at `entry`. It reaches 255 instructions, an
 * unconditional one anywhere. `ahead`: how many more are written before it. */
static int within_reach(struct writer *writer, int entry, int ahead)
{
    if (entry - writer->first + ahead <= UINT8_MAX)
        return entry;
    const struct sock_filter jump = {BPF_JMP | BPF_JA, 0, 0, (uint32_t)(entry - writer->first)};
    return put(writer, &jump, 1);
}

/* A run of call numbers with one action, from `first` up to the next range. */
struct range {
    uint32_t first;
    enum action action;
};

static int by_number(const void *a, const void *b)
{
    return ((const struct row *)a)->number - ((const struct row *)b)->number;
}

static void add_range(struct range *out, size_t *count, uint32_t first, enum action action)
{
    if (*count > 0 && out[*count - 1].first == first)
        (*count)--;
    if (*count == 0 || out[*count - 1].action != action)
        out[(*count)++] = (struct range){first, action};
}

static size_t make_ranges(const struct writer *writer, struct range *out)
{
    struct row rows[ROWS];
    size_t count = 0;
    memcpy(rows, table, sizeof rows);
    qsort(rows, ROWS, sizeof *rows, by_number);
    add_range(out, &count, 0, writer->same[NONE]);
    for (size_t i = 0; i < ROWS; i++) {
        add_range(out, &count, (uint32_t)rows[i].number, writer->same[rows[i].action]);
        add_range(out, &count, (uint32_t)rows[i].number + 1, writer->same[NONE]);
    }
    return count;
}

/* ranges[0..count) as a search tree: right half if number >= its first. Where it is. */
static int put_tree(struct writer *writer, const struct range *ranges, size_t count)
{
    if (count == 1) {
        const int entry = writer->entry[ranges[0].action];
        const bool near = entry != 0 && entry - writer->first < UINT8_MAX;
        return near ? entry : put_block(writer, ranges[0].action);
    }
    const size_t half = count / 2;
    int right = put_tree(writer, ranges + half, count - half);
    int left = put_tree(writer, ranges, half);
    right = within_reach(writer, right, 1);
    left = within_reach(writer, left, 0);
    const struct sock_filter branch = {BPF_JMP | BPF_JGE | BPF_K, (uint8_t)(right - writer->first),
                                       (uint8_t)(left - writer->first), ranges[half].first};
    return put(writer, &branch, 1);
}

static bool make_blocks(struct writer *writer, struct filter_kind kind)
{
    for (int action = 0; action < ACTIONS; action++) {
        struct code *block = &writer->blocks[action];
        *block = (struct code){.kind = kind};
        emit_action(block, (enum action)action);
        if (block->length == 0 || block->length > BLOCK_MAX)
            return false;
        int same = 0;
        while (writer->blocks[same].length != block->length ||
               memcmp(writer->blocks[same].at, block->at, block->length * sizeof *block->at) != 0)
            same++;
        writer->same[action] = (enum action)same;
    }
    return true;
}

int build_filter(struct filter *out, struct filter_kind kind)
{
    static struct sock_filter space[2][ROOM];
    static struct writer writer;
    struct range ranges[2 * ROWS + 1];
    writer = (struct writer){.at = space[kind.processes], .first = ROOM, .filter = out};
    out->own_count = 0;
    bool made = make_blocks(&writer, kind);
    if (made) {
        const int tree = put_tree(&writer, ranges, make_ranges(&writer, ranges));
        /* Another instruction set, e.g. 32-bit: its numbers mean other calls. x32 numbers (bit 30) fall into the last
         * range: ENOSYS. */
        const struct sock_filter head[] = {
            {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch)},
            {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCH},
            {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
            {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
        };
        made = tree == writer.first && put(&writer, head, COUNT(head)) > 0;
    }
    if (!made) {
        errno = E2BIG;
        return fail(STAGE_SECCOMP, 0);
    }
    for (unsigned i = 0; i < out->own_count; i++)
        out->own[i] = (unsigned short)(out->own[i] - writer.first);
    out->program = (struct sock_fprog){(unsigned short)(ROOM - writer.first), writer.at + writer.first};
    return 0;
}

/* What a call that reached the listener is to be counted as. */
enum counted counted_as(int call, const unsigned long long *arguments)
{
    for (size_t i = 0; i < ROWS; i++)
        if (table[i].number == call)
            switch (table[i].action) {
            case CREATE:
            case OPEN:
            case OPENAT:
            case CHANGE:
            case TRUNCATE: return COUNT_FILE;
            case PROCESS: return COUNT_TASK;
            case MAP: return COUNT_SHARED;
            case CLONE: return arguments[0] & CLONE_NAMESPACES ? COUNT_NONE : COUNT_TASK;
            default: return COUNT_NONE;
            }
    return COUNT_NONE;
}

int print_table(void)
{
    for (size_t i = 0; i < ROWS; i++)
        printf("%d %s %s\n", table[i].number, table[i].name, table[i].action_name);
    return 0;
}
