/* The slot's namespaces and its minimal read-only root. Runs once per slot, in the launcher, before any program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/mount.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gvisor.h"
#include "view.h"

#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 0x00000001
#define MOUNT_ATTR_NOSUID 0x00000002
#define MOUNT_ATTR_NODEV 0x00000004
#endif

/* Where the new root is put together: the first of these that exists (what is mounted there cannot be bound into the
 * view). Seen by nobody else, gone after the pivot. */
static const char *const bases[] = {"/media", "/mnt", "/srv", "/sys", "/run", "/tmp", "/proc"};

/* Namespaces that a slot keeps. Each row: the layer, the flag, and whether a slot may live without it. */
static const struct {
    uint32_t layer;
    int flag;
    bool optional;
} namespaces[] = {
    {LAYER_MOUNT, CLONE_NEWNS, false},
    {LAYER_NET, CLONE_NEWNET, false}, /* nothing in it, lo down: no socket leads anywhere */
    {LAYER_IPC, CLONE_NEWIPC, false},
    {LAYER_UTS, CLONE_NEWUTS, false},        /* the host's name tells which machine this is */
    {LAYER_CGROUPNS, CLONE_NEWCGROUP, true}, /* hides the host's cgroup paths; Linux 4.6 */
};

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t length = (ssize_t)strlen(text);
    int done = write(fd, text, (size_t)length) == length ? 0 : -1;
    close(fd);
    return done;
}

/* A user namespace in which one id exists: 1000 inside, ours outside. An undumpable process cannot write its own maps;
 * nothing untrusted runs yet. */
static int enter_user_namespace(const struct setup *setup)
{
    char map[64];
    if (setup->uid != geteuid()) { /* started by root: as the leased user, whom the kernel's limits bind */
        TRY(setgroups(0, NULL), STAGE_USERNS, 6);
        TRY(setresgid(setup->gid, setup->gid, setup->gid), STAGE_USERNS, 7);
        TRY(setresuid(setup->uid, setup->uid, setup->uid), STAGE_USERNS, 8);
    }
    TRY(prctl(PR_SET_DUMPABLE, 1), STAGE_USERNS, 4);
    TRY(unshare(CLONE_NEWUSER), STAGE_USERNS, 0);
    if (write_file("/proc/self/setgroups", "deny") < 0 && errno != ENOENT) /* before Linux 3.19, and in gVisor */
        return fail(STAGE_USERNS, 1);
    snprintf(map, sizeof map, "1000 %u 1", setup->uid);
    TRY(write_file("/proc/self/uid_map", map), STAGE_USERNS, 2);
    snprintf(map, sizeof map, "1000 %u 1", setup->gid);
    TRY(write_file("/proc/self/gid_map", map), STAGE_USERNS, 3);
    TRY(prctl(PR_SET_DUMPABLE, 0), STAGE_USERNS, 5);
    return 0;
}

static int enter_namespaces(struct slot *slot)
{
    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
        if (unshare(namespaces[i].flag) == 0)
            slot->layers |= namespaces[i].layer;
        else if (!namespaces[i].optional)
            return fail(STAGE_UNSHARE, (int)i);
    }
    TRY(sethostname("judge", 5), STAGE_UNSHARE, 100);
    TRY(setdomainname("", 1), STAGE_UNSHARE, 101); /* gVisor looks for the end of the string within the length */
    return 0;
}

/* Creates `path` below the new root with all its parents; the last part as a directory or an empty file. */
static int make_target(const char *path, bool directory)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
            return -1;
    }
    if (directory)
        return mkdir(path, 0755) < 0 && errno != EEXIST ? -1 : 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    return fd < 0 ? -1 : close(fd);
}

/* Makes a bind mount and what is mounted below it read-only. mount_setattr does it at once (Linux 5.12); before, the
 * flags that the kernel locked in a user namespace must be named again, and only the top mount can be reached. */
static int make_readonly(const char *target, bool device)
{
    struct {
        uint64_t set, clear, propagation, userns;
    } attributes = {MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | (device ? 0 : MOUNT_ATTR_NODEV), 0, 0, 0};
    if (syscall(SYS_mount_setattr, AT_FDCWD, target, AT_RECURSIVE, &attributes, sizeof attributes) == 0)
        return 0;
    struct statfs stat;
    if (errno != ENOSYS || statfs(target, &stat) < 0)
        return -1;
    unsigned long kept =
        (unsigned long)stat.f_flags & (MS_NOEXEC | MS_NOATIME | MS_NODIRATIME | MS_RELATIME | MS_NODEV);
    /* gVisor would refuse to write to the device itself; its node is root's. */
    return mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | MS_NOSUID | (device ? 0 : MS_RDONLY | MS_NODEV) | kept,
                 NULL);
}

static int bind(const char *source, const char *target, bool device)
{
    struct stat stat_;
    if (stat(source, &stat_) < 0)
        return -1;
    if (make_target(target, S_ISDIR(stat_.st_mode)) < 0)
        return -1;
    if (mount(source, target, NULL, MS_BIND | MS_REC, NULL) < 0)
        return -1;
    return make_readonly(target, device);
}

static int write_text(const char *target, const char *text)
{
    if (make_target(target, false) < 0)
        return -1;
    return write_file(target, text);
}

static int add_entry(const char *base, const struct view_entry *entry)
{
    char target[PATH_MAX];
    if (snprintf(target, sizeof target, "%s%s", base, entry->target) >= (int)sizeof target) {
        errno = ENAMETOOLONG;
        return -1;
    }
    switch (entry->kind) {
    case VIEW_BIND: return bind(entry->source, target, false);
    case VIEW_DEVICE: return bind(entry->source, target, true);
    case VIEW_TEXT: return write_text(target, entry->source);
    case VIEW_SYMLINK:
        *strrchr(target, '/') = '\0';
        if (make_target(target, true) < 0)
            return -1;
        target[strlen(target)] = '/';
        return symlink(entry->source, target);
    default: /* VIEW_MASK: after the pivot, when absolute links lead where a program would find them */ return 0;
    }
}

/* An empty directory over each masked one. What is not there needs no mask. */
static int add_masks(const struct setup_request *request)
{
    for (uint32_t i = 0; i < request->fixed.views; i++) {
        const struct view_entry *entry = &request->views[i];
        if (entry->kind != VIEW_MASK || access(entry->target, F_OK) < 0)
            continue;
        TRY(mount("none", entry->target, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=0555"),
            STAGE_VIEW, (int)i);
    }
    return 0;
}

/* pivot_root wants the old root to be a mount point, which it is not inside a chroot; gVisor ends when its root is
 * unmounted, and there it is not asked for. Then the new root is only entered, which a program without CAP_SYS_CHROOT and
 * without descriptors from outside cannot undo. */
static int change_root(struct slot *slot, const char *base, bool pivot)
{
    TRY(chdir(base), STAGE_PIVOT, 0);
    errno = EINVAL;
    if (pivot && syscall(SYS_pivot_root, ".", ".") == 0) {
        TRY(umount2(".", MNT_DETACH), STAGE_PIVOT, 1);
        slot->layers |= LAYER_PIVOT;
    } else {
        if (errno != EINVAL)
            return fail(STAGE_PIVOT, 2);
        TRY(chroot("."), STAGE_PIVOT, 3);
        TRY(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), STAGE_PIVOT, 4); /* what was bound from shared mounts */
    }
    TRY(chdir("/"), STAGE_PIVOT, 5);
    return 0;
}

/* Tries in a throw-away pid namespace how /proc can be mounted there. In order: only processes and only one's own
 * (5.8); hidden but with the rest; plain. */
static int probe_proc(struct slot *slot)
{
    static const char *const options[] = {"subset=pid,hidepid=4", "hidepid=2", ""};
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL, NULL, NULL, NULL);
    TRY(pid, STAGE_PROCFS, 0);
    if (pid == 0) {
        for (int i = 0; i < 3; i++)
            if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, options[i]) == 0)
                _exit(i);
        _exit(3);
    }
    int status = 0;
    TRY(waitpid(pid, &status, 0), STAGE_PROCFS, 1);
    if (!WIFEXITED(status)) { /* killed: that says nothing of the kernel */
        errno = EINTR;
        return fail(STAGE_PROCFS, 4);
    }
    if (WEXITSTATUS(status) < 3) {
        slot->proc_options = options[WEXITSTATUS(status)];
        slot->layers |= LAYER_PROC;
        return 0;
    }
    /* Refused (a masked /proc in a container): runs do without. What lies at /proc now must not show through. */
    TRY(mount("none", "/proc", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=0555"),
        STAGE_PROCFS, 2);
    return 0;
}

/* The option bounds the number of a run's files. */
static int probe_inodes(void)
{
    TRY(mount("none", BOX_PARENT BOX_NAME, "tmpfs", MS_NOSUID | MS_NODEV, "size=4k,nr_inodes=8"), STAGE_TMPFS, 21);
    return umount2(BOX_PARENT BOX_NAME, MNT_DETACH) < 0 ? fail(STAGE_TMPFS, 20) : 0;
}

int build_view(struct slot *slot, const struct setup_request *request)
{
    char path[PATH_MAX];
    const char *base = NULL;
    if (request->fixed.layers & LAYER_USER) {
        if (enter_user_namespace(&request->fixed) < 0)
            return -1;
        slot->layers |= LAYER_USER;
    }
    if (enter_namespaces(slot) < 0)
        return -1;
    /* Inside a chroot "/" is no mount point, and what it lies on may be shared with the host: there the base must be a
     * mount of its own, made private before anything is mounted on it. */
    bool chrooted = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0;
    if (chrooted && errno != EINVAL)
        return fail(STAGE_PRIVATE, 0);
    for (size_t i = 0; i < sizeof bases / sizeof *bases && base == NULL; i++)
        if ((!chrooted || mount(NULL, bases[i], NULL, MS_REC | MS_PRIVATE, NULL) == 0) &&
            mount("none", bases[i], "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=0755") == 0)
            base = bases[i];
    if (base == NULL)
        return fail(STAGE_ROOT, 0);
    for (uint32_t i = 0; i < request->fixed.views; i++)
        TRY(add_entry(base, &request->views[i]), STAGE_VIEW, (int)i);
    snprintf(path, sizeof path, "%s" BOX_PARENT BOX_NAME, base);
    TRY(make_target(path, true), STAGE_ROOT, 1);
    snprintf(path, sizeof path, "%s/proc", base);
    TRY(mkdir(path, 0555), STAGE_ROOT, 2);
    /* In a user namespace a new /proc may be mounted only where a whole one is visible already; each run covers it. */
    if (slot->layers & LAYER_USER)
        TRY(mount("/proc", path, NULL, MS_BIND | MS_REC, NULL), STAGE_ROOT, 3);
    TRY(mount(NULL, base, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL), STAGE_READONLY, 0);
    if (change_root(slot, base, request->fixed.layers & LAYER_PIVOT) < 0 || add_masks(request) < 0 ||
        (ON_GVISOR ? probe_sentry() : probe_inodes()) < 0)
        return -1;
    return probe_proc(slot);
}
