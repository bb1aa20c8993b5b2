/* The walls that stand around the program itself: raised in its own process, just before exec. What can be prepared once
 * per slot is; what can be inherited (no_new_privs, the bounding set) is set on the launcher. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter.h"
#include "powers.h"
#include "walls.h"

/* Landlock, of which this may be built with older headers, or none. */
#define LANDLOCK_VERSION_FLAG 1u
#define LANDLOCK_RULE_PATH 1

struct landlock_path {
    uint64_t access;
    int32_t parent;
} __attribute__((packed));

static int allow_below(int ruleset, const struct landlock_rule *rule)
{
    struct stat stat_;
    struct landlock_path path = {rule->rights.access, open(rule->path, O_PATH | O_CLOEXEC)};
    if (path.parent < 0)
        return -1;
    if (fstat(path.parent, &stat_) == 0 && !S_ISDIR(stat_.st_mode))
        path.access = rule->rights.of_file;
    int done = (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH, &path, 0);
    close(path.parent);
    return done;
}

int prepare_landlock(struct slot *slot)
{
    const struct walls *walls = &slot->walls->fixed;
    if (walls->landlock_bytes > 0) {
        slot->landlock = (int)syscall(SYS_landlock_create_ruleset, walls->landlock, (size_t)walls->landlock_bytes, 0);
        TRY(slot->landlock, STAGE_LANDLOCK, 0); /* close-on-exec, as the kernel makes it */
        for (uint32_t i = 0; i < walls->rules; i++)
            TRY(allow_below(slot->landlock, &slot->walls->rules[i]), STAGE_LANDLOCK, 100 + (int)i);
        slot->layers |= LAYER_LANDLOCK;
    }
    if (slot->layers & (LAYER_MOUNT | LAYER_LANDLOCK | LAYER_VETTED))
        return 0;
    errno = EPROTO; /* the driver asked for no wall around files */
    return fail(STAGE_LANDLOCK, 11);
}

int prepare_walls(struct slot *slot, const struct setup_request *request)
{
    bool mounts = slot->layers & LAYER_MOUNT;
    TRY(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), STAGE_CAPABILITIES, 0);
    for (int capability = 0; capability < 64; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0 && errno != EINVAL && (mounts || errno != EPERM))
            return fail(STAGE_CAPABILITIES, capability); /* EPERM: an ordinary user, who has none to drop */
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 &&
        errno != EINVAL) /* none before 4.3, or gVisor */
        return fail(STAGE_CAPABILITIES, 100);
    if (slot->layers & LAYER_UID)
        TRY(setgroups(0, NULL), STAGE_CAPABILITIES, 107); /* of the program, too */
    if (enter_phase(slot, PHASE_WAIT) < 0)
        return -1;
    if (request->fixed.layers & LAYER_LANDLOCK) {
        const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_FLAG);
        if (abi < 1 && !mounts) /* no such kernel, or switched off */
            return fail(STAGE_LANDLOCK, 10);
        slot->landlock_abi = abi < 1 ? 0 : (unsigned)abi;
    }
    slot->layers |= request->fixed.layers & LAYER_VETTED;
    uint32_t report = SECCOMP_RET_USER_NOTIF; /* Linux 5.0 */
    const bool notify = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &report) == 0;
    if (!mounts && !notify)
        return fail(STAGE_SECCOMP, 1);
    slot->layers |= LAYER_SECCOMP | LAYER_RLIMIT | (notify ? LAYER_NOTIFY : 0) | (mounts ? 0 : LAYER_QUOTA);
    return 0;
}

static int set_limits(const struct run_request *request)
{
    for (uint32_t i = 0; i < request->fixed.limits; i++) {
        const struct limit *row = &request->limits[i];
        const struct rlimit limit = {row->soft, row->hard};
        if (setrlimit((__rlimit_resource_t)row->resource, &limit) < 0 && !(row->optional && errno == EPERM))
            return fail(STAGE_RLIMIT, (int)i);
    }
    return 0;
}

/* By raw calls: glibc's wrappers would signal the threads of the stub, whose memory this process still shares. */
static int drop_privileges(const struct slot *slot)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}};
    if (slot->layers & LAYER_UID) {
        TRY(syscall(SYS_setresgid, slot->gid, slot->gid, slot->gid), STAGE_CREDENTIALS, 1);
        TRY(syscall(SYS_setresuid, slot->uid, slot->uid, slot->uid), STAGE_CREDENTIALS, 2);
    }
    TRY(syscall(SYS_capset, &header, none), STAGE_CREDENTIALS, 3);
    return 0;
}

/* When memory runs out the program must be the first to go. Without root's powers it can be offered only once it is
 * executed: until then its entry in /proc belongs to root, as that of every undumpable process. */
int offer_to_oom_killer(const struct slot *slot, const char *process)
{
    char path[32];
    snprintf(path, sizeof path, "%s/oom_score_adj", process);
    int fd = openat(slot->host_proc, path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        return 1;
    TRY(fd, STAGE_CGROUP, 10);
    TRY(write(fd, "1000", 4), STAGE_CGROUP, 11);
    close(fd);
    return 0;
}

int enter_walls(struct slot *slot, const struct run_request *request, pid_t stub, int *listener)
{
    const struct run *run = &request->fixed;
    const enum filter filter = run->processes == 0      ? FILTER_THREADS
                               : run->flags & RUN_TOOL  ? FILTER_TOOL
                               : run->flags & RUN_MODES ? FILTER_MODES
                                                        : FILTER_PROCESSES;
    sigset_t none;
    sigemptyset(&none);
    TRY(syscall(SYS_setsid), STAGE_CREDENTIALS, 10); /* no terminal; one group for one kill */
    if (set_limits(request) < 0)
        return -1;
    TRY(sigprocmask(SIG_SETMASK, &none, NULL), STAGE_CREDENTIALS, 11);
    if (slot->layers & LAYER_LANDLOCK)
        TRY(syscall(SYS_landlock_restrict_self, slot->landlock, 0), STAGE_LANDLOCK, 4);
    if (drop_privileges(slot) < 0)
        return -1;
    TRY(prctl(PR_SET_PDEATHSIG, SIGKILL), STAGE_CREDENTIALS, 12); /* without a pid namespace: die with the stub */
    if (syscall(SYS_getppid) != stub) { /* it was killed before that: nobody would stop the program */
        errno = ESRCH;
        return fail(STAGE_CREDENTIALS, 13);
    }
    if (slot->go_on != NULL) /* as exec makes it: its own /proc entry is the program's */
        TRY(prctl(PR_SET_DUMPABLE, 1), STAGE_CREDENTIALS, 14);
    put_own_number(slot, filter, (pid_t)syscall(SYS_getpid));
    if (run->flags & RUN_APART)
        TRY(install_filter(slot, run->flags & RUN_THREADED ? FILTER_APART_THREADED : FILTER_APART, 0), STAGE_FILTER, 2);
    const int installed =
        install_filter(slot, filter, slot->layers & LAYER_NOTIFY ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0);
    TRY(installed, STAGE_FILTER, 0);
    *listener = slot->layers & LAYER_NOTIFY ? installed : -1;
    return 0;
}
