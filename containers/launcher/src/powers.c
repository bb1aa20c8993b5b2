/* What the launcher and the stub may do themselves once the slot is set up: which of root's powers they keep, and when they
 * can use them. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "powers.h"
#include "stub.h"

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
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
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
