/* The system call table of a run, and what is done with each call.
 *
 * Default deny: what is not in the table gets ENOSYS, as on a kernel that lacks it, so that a C library falls back.
 *
 * One exception is the kernel's: from Linux 6.14 on calls 335 and 336 of x86-64 (uretprobe, uprobe) pass every filter. They
 * do something only where the kernel itself has put a probe into the program; else they are SIGILL, or ENXIO. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>

#include "table.h"

const struct row table[] = {
#define ROW(name, action) {SYS_##name, action, #name, #action},
#include "syscalls.h"
#undef ROW
};
const size_t row_count = COUNT(table);
_Static_assert(COUNT(table) <= ROWS_MAX, "room for the table");

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

/* What a thread shares with the others, as those of every C library and of Go do. With descriptors of its own it would
 * have some that no limit and no look sees. */
#define THREAD_SHARES (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
/* What else they ask for; the signal at its end the kernel does not send for a thread. */
#define THREAD_MAY                                                                                                     \
    (CSIGNAL | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID |        \
     CLONE_DETACHED)

/* Not CLOSE_RANGE_UNSHARE, which gives the caller a table of its own. */
static const uint32_t close_range_allowed[] = {0, CLOSE_RANGE_CLOEXEC};

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
        emit(code, BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)THREAD_MAY, 0, 0);
        emit(code, BPF_JMP | BPF_JEQ | BPF_K, THREAD_SHARES, 1, 0);
        emit_errno(code, EPERM);
    }
    emit_counted(code, code->kind.threads);
}

/* Where every path is looked at, nobody could look at the program's own: we wait for its execve. That one shows a number
 * that no program can know, in an argument that the kernel does not read. */
static void emit_execveat(struct code *code)
{
    if (code->kind.vetted) {
        emit_load(code, ARGUMENT(5));
        emit(code, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)code->kind.pass, 0, 3);
        emit_load(code, ARGUMENT(5) + sizeof(uint32_t));
        emit(code, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(code->kind.pass >> 32), 0, 1);
        emit_return(code, SECCOMP_RET_ALLOW);
    }
    emit_counted(code, code->kind.vetted);
}

/* RENAME_WHITEOUT leaves a device node where the file was: one more file. */
static void emit_rename(struct code *code)
{
    emit_load(code, ARGUMENT(4));
    emit(code, BPF_JMP | BPF_JSET | BPF_K, ~(uint32_t)(RENAME_NOREPLACE | RENAME_EXCHANGE), 0, 1);
    emit_errno(code, EPERM);
    emit_counted(code, code->kind.vetted);
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
    /* Neither to read nor to write (for ioctl): Landlock asks for no right then, and the older ones let it truncate. */
    emit(code, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE, 0, 0);
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, O_ACCMODE, 0, 1);
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

/* No huge pages of the machine's pool, as if it had none: they are in no count of a process's or a cgroup's memory. Shared
 * memory stays when it is unmapped, as long as a page of its object is mapped, and is then seen nowhere. */
static void emit_map(struct code *code)
{
    emit_load(code, ARGUMENT(3));
    emit(code, BPF_JMP | BPF_JSET | BPF_K, MAP_HUGETLB, 0, 1);
    emit_errno(code, ENOMEM);
    if (code->kind.shared && !code->kind.tool) {
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

/* Compilers signal one another. Not the stub: it is the first process of a pid namespace, which Linux shields, and gVisor
 * does not. */
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

/* What depends on whether a run may start processes, and on who wrote what it executes. */
static void emit_by_processes(struct code *code, enum action action)
{
    const bool processes = code->kind.processes;
    switch (action) {
    case PROCESS: processes ? emit_counted(code, code->kind.threads) : emit_errno(code, EPERM); break;
    case MODE:
    case BUILD: /* Landlock walls no mode and no time. A script or a compiler that may change none hears of success */
        (code->kind.tool || (action == MODE && code->kind.modes)) && !code->kind.open
            ? emit_return(code, SECCOMP_RET_ALLOW)
            : emit_errno(code, processes ? 0 : EPERM);
        break;
    case SELF:
        if (!processes)
            emit_self(code);
        else if (code->kind.signals)
            emit_return(code, SECCOMP_RET_USER_NOTIF);
        else
            emit_not_first(code);
        break;
    case FCNTL:
        if (code->kind.tool)
            emit_one_of(code, 1, fcntl_build, COUNT(fcntl_build), EPERM);
        else
            emit_one_of(code, 1, fcntl_allowed, COUNT(fcntl_allowed), EPERM);
        break;
    default: /* CLOCK: children have numbers of their own */
        processes ? emit_return(code, SECCOMP_RET_ALLOW) : emit_clock(code);
    }
}

void emit_action(struct code *code, enum action action)
{
    static const uint32_t query[] = {0, 0xffffffff}, oneself[] = {0};
    switch (action) {
    case NONE: emit_errno(code, ENOSYS); break;
    case ALLOW: emit_return(code, SECCOMP_RET_ALLOW); break;
    case REFUSE: emit_errno(code, EPERM); break;
    case LACKING: emit_errno(code, EOPNOTSUPP); break;
    case UNFIT: emit_errno(code, EINVAL); break;
    case REPORT: emit_report(code); break;
    case PROCESS:
    case MODE:
    case BUILD:
    case SELF:
    case FCNTL:
    case CLOCK: emit_by_processes(code, action); break;
    case CREATE: emit_counted(code, code->kind.files); break;
    case ALLOCATE:
        if (code->kind.files)
            emit_errno(code, EOPNOTSUPP);
        else
            emit_return(code, SECCOMP_RET_ALLOW);
        break;
    case MAP: emit_map(code); break;
    case CHANGE: emit_counted(code, code->kind.vetted); break;
    case LOOK: emit_counted(code, code->kind.vetted); break;
    case TRUNCATE:
        if (code->kind.truncates)
            emit_counted(code, code->kind.vetted);
        else
            emit_errno(code, EACCES);
        break;
    case CLONE: emit_clone(code); break;
    case CLOSE_RANGE: emit_one_of(code, 2, close_range_allowed, COUNT(close_range_allowed), EPERM); break;
    case EXECVEAT: emit_execveat(code); break;
    case RENAME: emit_rename(code); break;
    case OWN: emit_one_of(code, 0, oneself, COUNT(oneself), EPERM); break;
    case OPEN: emit_open(code, 1); break;
    case OPENAT: emit_open(code, 2); break;
    case PRCTL: emit_one_of(code, 0, prctl_allowed, COUNT(prctl_allowed), EPERM); break;
    case IOCTL: emit_one_of(code, 1, ioctl_allowed, COUNT(ioctl_allowed), ENOTTY); break;
    case SETRLIMIT: emit_core_kept(code, 0); break;
    case PRLIMIT: emit_prlimit(code); break;
    case PERSONALITY: emit_one_of(code, 0, query, 2, EPERM); break;
    case SOCKETPAIR: emit_socketpair(code); break;
    case MOUNT: emit_report(code); break;
    case SCHEDULER: emit_scheduler(code); break;
    }
}

/* What a call that reached the listener is to be counted as. */
enum counted counted_as(int call, const unsigned long long *arguments)
{
    for (size_t i = 0; i < row_count; i++)
        if (table[i].number == call)
            switch (table[i].action) {
            case CREATE: return COUNT_FILE;
            case OPEN: return arguments[1] & CREATING ? COUNT_FILE : COUNT_NAME;
            case OPENAT: return arguments[2] & CREATING ? COUNT_FILE : COUNT_NAME;
            case CHANGE:
            case RENAME:
            case LOOK:
            case EXECVEAT:
            case TRUNCATE: return COUNT_NAME;
            case SELF: return COUNT_SIGNAL;
            case PROCESS: return COUNT_TASK;
            case MAP: return COUNT_SHARED;
            case CLONE: return arguments[0] & CLONE_NAMESPACES ? COUNT_NONE : COUNT_TASK;
            default: return COUNT_NONE;
            }
    return COUNT_NONE;
}

int print_table(void)
{
    for (size_t i = 0; i < row_count; i++)
        printf("%d %s %s\n", table[i].number, table[i].name, table[i].action_name);
    return 0;
}
