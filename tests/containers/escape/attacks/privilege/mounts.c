// Tries: changes what is mounted, by the old calls and the new ones, and leaves its root
// Control: yes
#include "calls.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

int main(void)
{
    const char *file = canary("file");
    unshare(CLONE_NEWUSER | CLONE_NEWNS); /* where that works, so does the rest */
    mkdir("there", 0700);
    TRY(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
    TRY(mount("none", "there", "tmpfs", 0, NULL));
    TRY(mount("proc", "there", "proc", 0, NULL));
    TRY(mount("/", "there", NULL, MS_BIND | MS_REC, NULL));
    TRY(mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL));
    TRY(mount(file, "there", NULL, MS_BIND, NULL));
    TRY(mount("there", "there", NULL, MS_MOVE, NULL));
    TRY(umount2("/proc", MNT_DETACH));
    TRY(umount2("/box/run", MNT_DETACH));
    TRY(syscall(SYS_pivot_root, ".", "."));
    REACH(SYS_mount, -1, -1, -1, 0, NULL);
    REACH(SYS_umount2, NULL, 0);
    REACH(SYS_pivot_root, NULL, NULL);
    REACH(SYS_chroot, NULL);
#ifdef SYS_fsopen
    int context = (int)syscall(SYS_fsopen, "tmpfs", 0);
    reach("fsopen", context);
    REACH(SYS_fsconfig, context, 6 /* create */, NULL, NULL, 0);
    int made = (int)syscall(SYS_fsmount, context, 0, 0);
    reach("fsmount", made);
    REACH(SYS_move_mount, made, "", AT_FDCWD, "there", 4);
    REACH(SYS_open_tree, AT_FDCWD, "/", 1 /* clone */);
    REACH(SYS_fspick, AT_FDCWD, "/", 0);
#endif
    REACH(CALL_mount_setattr, AT_FDCWD, "/usr", 0x8000, (uint64_t[4]){0, 1, 0, 0}, 32);
    REACH(CALL_open_tree_attr, AT_FDCWD, "/", 1, NULL, 0);
    REACH(CALL_statmount, NULL, NULL, 0, 0);
    REACH(CALL_listmount, NULL, NULL, 0, 0);
}
