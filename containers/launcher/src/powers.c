/* What the launcher and the stub may do themselves once the slot is set up: which of root's powers they keep, when they
 * can use them, and which system calls are left. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "powers.h"
#include "stub.h"
#include "table.h"

#define IN(phase) (1u << (phase))

/* Nothing else is in any set. Inside walls of another tool's, and as an ordinary user without namespaces, there is nothing
 * to begin with. */
static const struct {
    int capability;
    uint32_t layer;  /* kept where this stands */
    unsigned phases; /* effective in these */
} kept[] = {
    /* The namespaces of a stub; in them /proc, the tmpfs of each run, the number of the next process. */
    {CAP_SYS_ADMIN, LAYER_MOUNT, IN(PHASE_WAIT) | IN(PHASE_PREPARE)},
    /* The directories and files of a run become its user's, or its group's. */
    {CAP_CHOWN, LAYER_UID, IN(PHASE_PREPARE)},
    /* The program becomes that user, and so does the stub for files. */
    {CAP_SETUID, LAYER_UID, IN(PHASE_PREPARE)},
    {CAP_SETGID, LAYER_UID, IN(PHASE_PREPARE)},
    /* The limits of a run may be above those that the judge was started with. */
    {CAP_SYS_RESOURCE, LAYER_UID, IN(PHASE_PREPARE)},
    /* To end what runs as another user. */
    {CAP_KILL, LAYER_UID, IN(PHASE_PREPARE) | IN(PHASE_RUN)},
};

/* What a program left, and what /proc shows of it, is looked at as its user: nothing there leads us to what that user may
 * not have. With a change of ids the kernel forgets that we die with the launcher, and may make us dumpable. */
static int set_user_of_files(const struct slot *slot, uid_t uid, gid_t gid)
{
    struct pollfd launcher = {slot->living, POLLIN, 0};
    int dies = 0;
    TRY(prctl(PR_GET_PDEATHSIG, &dies), STAGE_CAPABILITIES, 101);
    setfsgid(gid);
    setfsuid(uid);
    errno = EPERM; /* they tell only what was before */
    if ((gid_t)setfsgid((gid_t)-1) != gid || (uid_t)setfsuid((uid_t)-1) != uid)
        return fail(STAGE_CAPABILITIES, 102);
    TRY(prctl(PR_SET_DUMPABLE, 0), STAGE_CAPABILITIES, 103);
    TRY(prctl(PR_SET_PDEATHSIG, dies), STAGE_CAPABILITIES, 104);
    if (dies != 0 && poll(&launcher, 1, 0) > 0) /* it ended in between */
        _exit(STUB_ENDED);
    return 0;
}

int enter_phase(const struct slot *slot, enum phase phase)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct had[_LINUX_CAPABILITY_U32S_3], powers[_LINUX_CAPABILITY_U32S_3] = {{0}};
    const bool run = phase == PHASE_RUN;
    if ((slot->layers & LAYER_UID) && set_user_of_files(slot, run ? slot->uid : 0, run ? slot->gid : getegid()) < 0)
        return -1;
    TRY(syscall(SYS_capget, &header, had), STAGE_CAPABILITIES, 105);
    for (size_t i = 0; i < COUNT(kept); i++) {
        const int half = CAP_TO_INDEX(kept[i].capability);
        const uint32_t power = had[half].permitted & (uint32_t)CAP_TO_MASK(kept[i].capability);
        if (!(slot->layers & kept[i].layer))
            continue;
        powers[half].permitted |= power;
        powers[half].effective |= kept[i].phases & IN(phase) ? power : 0;
    }
    TRY(syscall(SYS_capset, &header, powers), STAGE_CAPABILITIES, 106);
    return 0;
}

/* Programs inherit this table, so what they may call is in it: syscalls.h, but for what is refused to them whatever they
 * ask for. Beside it there are, of the launcher, the stub and a program that is on its way: */
const struct row helper_rows[] = {
#define ROW(name, action)                                                                                              \
    {                                                                                                                  \
        SYS_##name, action, #name, #action                                                                             \
    }
    /* requests, results, and the descriptors that come and go with them */
    ROW(recvfrom, ALLOW),
    ROW(recvmsg, ALLOW),
    ROW(sendto, ALLOW),
    ROW(sendmsg, ALLOW),
    /* files that a run is given, and file systems for them; namespaces of a stub: CLONE */
    ROW(sendfile, ALLOW),
    ROW(mount, MOUNT),
    ROW(umount2, ALLOW),
    /* whose the files of a run are */
    ROW(fchown, ALLOW),
    ROW(fchownat, ALLOW),
#if defined(__x86_64__)
    ROW(chown, ALLOW),
#endif
    /* phases; paths that are vetted */
    ROW(capset, ALLOW),
    ROW(setfsuid, ALLOW),
    ROW(setfsgid, ALLOW),
    ROW(openat2, ALLOW),
    /* the walls of a run */
    ROW(setsid, ALLOW),
    ROW(setresuid, ALLOW),
    ROW(setresgid, ALLOW),
    ROW(landlock_restrict_self, ALLOW),
    ROW(seccomp, ALLOW),
#undef ROW
};
const size_t helper_row_count = COUNT(helper_rows);
_Static_assert(COUNT(helper_rows) <= HELPER_ROWS_MAX, "room for the table");

/* Of a filter's answers this is the weakest that refuses: a program's own filter has the last word on what it reports and
 * how. Without a tracer it is ENOSYS. */
#define REFUSED SECCOMP_RET_TRACE

static void emit_answer(struct code *code, bool allowed)
{
    code->at[code->length++] = (struct sock_filter){BPF_RET | BPF_K, 0, 0, allowed ? SECCOMP_RET_ALLOW : REFUSED};
}

/* Allowed with all of these flags, and besides them at most with those. */
static void emit_flags(struct code *code, int argument, uint32_t needed, uint32_t possible)
{
    const struct sock_filter look[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)argument)},
        {BPF_ALU | BPF_AND | BPF_K, 0, 0, ~possible},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, needed},
    };
    memcpy(code->at, look, sizeof look);
    code->length = COUNT(look);
    emit_answer(code, true);
    emit_answer(code, false);
}

void emit_helper(struct code *code, enum action action)
{
    const bool mounts = !code->kind.files;
    const uint32_t of_stubs = mounts ? CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC : 0;
    if (action == CLONE)
        emit_flags(code, 0, 0, of_stubs | ~(uint32_t)CLONE_NAMESPACES);
    else if (action == MOUNT && mounts) /* nothing that is mounted already, elsewhere; no devices */
        emit_flags(code, 3, MS_NOSUID | MS_NODEV, MS_REMOUNT | MS_RDONLY | MS_NOEXEC);
    else
        emit_answer(code, action != NONE && action != REFUSE && action != REPORT && action != LACKING &&
                              action != UNFIT && action != MOUNT);
}
