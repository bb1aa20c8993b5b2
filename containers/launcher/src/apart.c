/* More walls around a run that has siblings: processes of one submission that talk by a manager alone, or passes of one
 * test. One sibling may know what another one must find out, so none may signal to another by what the kernel numbers or
 * queues for the whole machine.
 *
 * Futexes. Without FUTEX_PRIVATE_FLAG a futex on a page of a file (of a library, say) is the same one for all who map it.
 * Threads of C and C++ use such futexes, too, on memory of their own: pthread_join waits, and the kernel wakes it;
 * std::future and guards of static variables wait and wake. So a wake reports that nobody slept, and a wait returns at
 * once, as if the value had changed: the caller looks again, and again, which costs CPU time and stays right. Runtimes
 * that have threads from their start would wait so for the whole run. Their waits are allowed; wakes are not.
 *
 * Pipes. The kernel numbers pipes and sockets in one sequence for the machine. Whoever makes thousands of them chooses
 * the numbers that fstat of a later pipe shows. Runtimes with threads need some for themselves. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failure.h"
#include "table.h"
#include "walls.h"
#include "wire.h"

#define LOAD(field)                                                                                                    \
    {                                                                                                                  \
        BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offsetof(struct seccomp_data, field)                                 \
    }
#define IF_EQUAL(value, yes, no)                                                                                       \
    {                                                                                                                  \
        BPF_JMP | BPF_JEQ | BPF_K, yes, no, value                                                                      \
    }
#define RETURN(value)                                                                                                  \
    {                                                                                                                  \
        BPF_RET | BPF_K, 0, 0, value                                                                                   \
    }
#define ERRNO(error) RETURN(SECCOMP_RET_ERRNO | (uint32_t)(error))

#if defined(__x86_64__)
#define SYS_OLD_PIPE SYS_pipe
#else
#define SYS_OLD_PIPE SYS_pipe2
#endif

int enter_apart(uint32_t flags)
{
    const struct sock_filter wait =
        flags & RUN_THREADED ? (struct sock_filter)RETURN(SECCOMP_RET_ALLOW) : (struct sock_filter)ERRNO(EAGAIN);
    const struct sock_filter make =
        flags & RUN_THREADED ? (struct sock_filter)RETURN(SECCOMP_RET_ALLOW) : (struct sock_filter)ERRNO(EMFILE);
    struct sock_filter rules[] = {
        LOAD(nr),
        IF_EQUAL(SYS_futex, 5, 0),
        IF_EQUAL(SYS_pipe2, 3, 0),
        IF_EQUAL(SYS_OLD_PIPE, 2, 0),
        IF_EQUAL(SYS_socketpair, 1, 0),
        RETURN(SECCOMP_RET_ALLOW),
        make,
        LOAD(args[1]), /* the low half: both machines are little-endian */
        {BPF_JMP | BPF_JSET | BPF_K, 0, 1, FUTEX_PRIVATE_FLAG},
        RETURN(SECCOMP_RET_ALLOW),
        {BPF_ALU | BPF_AND | BPF_K, 0, 0, (uint32_t)FUTEX_CMD_MASK},
        IF_EQUAL(FUTEX_WAIT, 4, 0),
        IF_EQUAL(FUTEX_WAIT_BITSET, 3, 0),
        IF_EQUAL(FUTEX_WAKE, 3, 0),
        IF_EQUAL(FUTEX_WAKE_BITSET, 2, 0),
        ERRNO(ENOSYS),
        wait,
        ERRNO(0),
    };
    const struct sock_fprog program = {COUNT(rules), rules};
    if (flags & RUN_APART)
        TRY(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), STAGE_FILTER, 2);
    return 0;
}
