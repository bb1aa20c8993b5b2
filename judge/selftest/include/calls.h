/* For attacks that try system calls by their numbers.
 *
 * REACH(SYS_name, arguments…) makes the call with arguments that can do nothing: an answer other than a refusal, be it
 * EFAULT or EINVAL, tells that the kernel has looked at them, and so that only the right arguments are wanting. */
#ifndef CALLS_H
#define CALLS_H
#include "attack.h"
#include <sys/syscall.h>

static inline void reach(const char *what, long result)
{
    if (result == -1 && (errno == EPERM || errno == EACCES || errno == ENOSYS))
        refused(what);
    else if (result == -1)
        escaped("%s reached the kernel: %s", what, strerrorname_np(errno));
    else
        escaped("%s gave %ld", what, result);
}

#define REACH(number, ...) reach(#number, syscall(number, ##__VA_ARGS__))

/* The parent, which watches it. Outside that would be the tests themselves, and the neighbour stands in. */
static inline long watcher(void)
{
    const long judge = canary_number("pid"), neighbour = canary_number("neighbour");
    return judge == neighbour ? neighbour : getppid();
}

/* Numbers that older headers lack; they are the same on all machines. */
enum {
    CALL_listmount = 458,
    CALL_statmount = 457,
    CALL_lsm_get_self_attr = 459,
    CALL_landlock_create_ruleset = 444,
    CALL_landlock_restrict_self = 446,
    CALL_process_madvise = 440,
    CALL_process_mrelease = 448,
    CALL_cachestat = 451,
    CALL_mount_setattr = 442,
    CALL_memfd_secret = 447,
    CALL_quotactl_fd = 443,
    CALL_fchmodat2 = 452,
    CALL_open_tree_attr = 467,
};

#endif
