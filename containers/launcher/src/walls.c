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

/* Landlock, as far as newer than the headers that this may be built with. */
#define LANDLOCK_VERSION_FLAG 1u
#define LANDLOCK_RULE_PATH 1
#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_ALL_V1 ((1ull << 13) - 1)
#define FS_REFER (1ull << 13)
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define NET_BIND_CONNECT 3ull
#define SCOPE_ABSTRACT_AND_SIGNAL 3ull

struct landlock_ruleset {
    uint64_t fs, net, scoped;
};
struct landlock_path {
    uint64_t access;
    int32_t parent;
} __attribute__((packed));

static int allow_below(int ruleset, const char *path, uint64_t access)
{
    struct stat stat_;
    struct landlock_path rule = {access, open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent < 0)
        return -1;
    if (fstat(rule.parent, &stat_) == 0 && !S_ISDIR(stat_.st_mode))
        rule.access &= FS_OF_FILES;
    int done = (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH, &rule, 0);
    close(rule.parent);
    return done;
}

/* Without a mount namespace Landlock is the view: the same entries, as rules. */
static int allow_view(const struct slot *slot, const struct setup_request *request, uint64_t write)
{
    const uint64_t read = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;
    for (uint32_t i = 0; i < request->fixed.views; i++) {
        const struct view_entry *entry = &request->views[i];
        uint64_t access = 0;
        switch (entry->kind) {
        case VIEW_BIND: access = read; break;
        case VIEW_LIST: access = FS_READ_DIR; break;
        case VIEW_DEVICE: access = FS_READ_FILE | (write & (FS_WRITE_FILE | FS_TRUNCATE)); break;
        case VIEW_HOME: access = read | write; break;
        default: continue;
        }
        TRY(allow_below(slot->landlock, entry->source, access), STAGE_LANDLOCK, 100 + (int)i);
    }
    return 0;
}

/* With a mount view Landlock adds that nothing outside the working directory can be changed; without one it also says
 * what can be read. Always: no TCP port reached, no signal sent out. It goes upwards through mount points (but skips the
 * directory that is mounted over), so one rule on the parent holds for the tmpfs that each run mounts below it. Each ABI
 * knows a little more than the one before: */
static int prepare_landlock(struct slot *slot, const struct setup_request *request)
{
    bool mounts = slot->layers & LAYER_MOUNT;
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_FLAG);
    if (abi > (long)request->fixed.landlock_most)
        abi = request->fixed.landlock_most;
    if (abi < 1) /* no such kernel, or switched off: the layer does not stand, and READY says so */
        return mounts ? 0 : fail(STAGE_LANDLOCK, 10);
    uint64_t write = FS_ALL_V1 & ~(FS_EXECUTE | FS_READ_FILE | FS_READ_DIR);
    struct landlock_ruleset attributes = {0};
    size_t size = sizeof attributes.fs;
    if (abi >= 2)
        write |= FS_REFER; /* 5.19 */
    if (abi >= 3)
        write |= FS_TRUNCATE; /* 6.2 */
    if (abi >= 4) {
        attributes.net = NET_BIND_CONNECT; /* 6.7 */
        size = 2 * sizeof(uint64_t);
    }
    if (abi >= 5)
        write |= FS_IOCTL_DEV; /* 6.10 */
    if (abi >= 6) {
        attributes.scoped = SCOPE_ABSTRACT_AND_SIGNAL; /* 6.12 */
        size = 3 * sizeof(uint64_t);
    }
    attributes.fs = write | (mounts ? 0 : FS_EXECUTE | FS_READ_FILE | FS_READ_DIR);
    slot->landlock = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    TRY(slot->landlock, STAGE_LANDLOCK, 0); /* close-on-exec, as the kernel makes it */
    if (mounts) {
        TRY(allow_below(slot->landlock, BOX_PARENT, write), STAGE_LANDLOCK, 2);
        TRY(allow_below(slot->landlock, "/dev", write & (FS_WRITE_FILE | FS_TRUNCATE)), STAGE_LANDLOCK, 3);
    } else if (allow_view(slot, request, write) < 0) {
        return -1;
    }
    slot->layers |= LAYER_LANDLOCK;
    slot->landlock_abi = (unsigned)abi;
    return 0;
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
    if ((request->fixed.layers & LAYER_LANDLOCK) && prepare_landlock(slot, request) < 0)
        return -1;
    slot->layers |= request->fixed.layers & LAYER_VETTED;
    if (!(slot->layers & (LAYER_MOUNT | LAYER_LANDLOCK | LAYER_VETTED))) {
        errno = EPROTO; /* the driver asked for no wall around files */
        return fail(STAGE_LANDLOCK, 11);
    }
    uint32_t report = SECCOMP_RET_USER_NOTIF; /* Linux 5.0 */
    const bool notify = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &report) == 0;
    if (!mounts && !notify)
        return fail(STAGE_SECCOMP, 1);
    slot->layers |= LAYER_SECCOMP | LAYER_RLIMIT | (notify ? LAYER_NOTIFY : 0) | (mounts ? 0 : LAYER_QUOTA);
    return 0;
}

/* One row a limit; 0 leaves it as it is. */
static int set_limits(const struct slot *slot, const struct run *run)
{
    /* The kernel counts a user's tasks on the whole machine, so that another container's judge could use up ours: only
     * where neither a cgroup nor the listener counts, and where the user is not the judge's own. In a user namespace
     * the launcher and the stub are of the same user. */
    const bool counted = slot->cgroup_pids < 0 && slot->layers & LAYER_MOUNT && slot->layers & (LAYER_USER | LAYER_UID);
    const uint64_t tasks = counted ? run->threads + run->processes + (slot->layers & LAYER_USER ? SLOT_TASKS : 0) : 0;
    /* The backstop of the CPU timer; and that one sees the first process alone: this is the limit of each other one.
     * Some kernels count RLIMIT_CPU by ticks, and reach it after five sixths of the time: so a third is added. */
    const uint64_t cpu_s = run->cpu_ns == 0 ? 0 : (run->cpu_ns + run->cpu_ns / 3 - 1) / 1000000000 + 3;
    const struct {
        int resource;
        uint64_t value;
        bool zero;     /* 0 is meant */
        bool optional; /* the filter refuses what it bounds too: may be one that the kernel does not keep (gVisor) */
    } limits[] = {
        {RLIMIT_CORE, slot->core_soft, true, false},
        {RLIMIT_CPU, cpu_s, false, false},
        {RLIMIT_FSIZE, run->directory_bytes, false, false},
        {RLIMIT_NOFILE, run->open_files, false, false},
        {RLIMIT_STACK, run->stack_bytes, false, false},
        {RLIMIT_DATA, run->data_bytes, false, false},
        {RLIMIT_NPROC, tasks, false, false},
        {RLIMIT_MEMLOCK, 64 * 1024, false, false},
        {RLIMIT_MSGQUEUE, 0, true, true},
        {RLIMIT_NICE, 0, true, true},
        {RLIMIT_RTPRIO, 0, true, true},
        {RLIMIT_SIGPENDING, 256, false, true},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        /* Of a process that was ended by SIGXCPU, compilers tell. */
        const bool warns = limits[i].resource == RLIMIT_CPU && run->processes > 0;
        const struct rlimit limit = {limits[i].value - warns, limits[i].value};
        if (limits[i].value == 0 && !limits[i].zero)
            continue;
        if (setrlimit((__rlimit_resource_t)limits[i].resource, &limit) < 0 && !(limits[i].optional && errno == EPERM))
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

int enter_walls(struct slot *slot, const struct run *run, pid_t stub, int *listener)
{
    const enum filter filter = run->processes == 0      ? FILTER_THREADS
                               : run->flags & RUN_TOOL  ? FILTER_TOOL
                               : run->flags & RUN_MODES ? FILTER_MODES
                                                        : FILTER_PROCESSES;
    sigset_t none;
    sigemptyset(&none);
    TRY(syscall(SYS_setsid), STAGE_CREDENTIALS, 10); /* no terminal; one group for one kill */
    if (set_limits(slot, run) < 0)
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
