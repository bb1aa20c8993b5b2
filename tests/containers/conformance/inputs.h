/* The ways in which a program can leave a mark on its input, which other runs read too, at once or later. */
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/xattr.h>

static void mark_input(void)
{
    static const char path[] = "/dev/stdin";
    const struct timespec times[2] = {{1234567890, 0}, {1234567890, 123000000}};
    const off_t end = lseek(0, 0, SEEK_END);
    struct flock region = {.l_type = F_RDLCK};
    int flags = FS_NOATIME_FL | FS_APPEND_FL, opened;
    loff_t from = 0, to = 0;
    /* what remains once the run has ended */
    say("chmod", chmod(path, 0));
    say("fchmod", fchmod(0, 0700));
    say("fchmodat2", syscall(452, 0, "", 0700, AT_EMPTY_PATH));
    say("chown", chown(path, getuid(), getgid()));
    say("fchown", fchown(0, getuid(), getgid()));
    say("utimensat", utimensat(AT_FDCWD, path, times, 0));
    say("futimens", futimens(0, times));
    say("setxattr", fsetxattr(0, "user.mark", "x", 1, 0));
    say("removexattr", fremovexattr(0, "user.mark"));
    say("seal", fcntl(0, 1033 /* F_ADD_SEALS */, 1));
    say("link", linkat(AT_FDCWD, "/proc/self/fd/0", AT_FDCWD, "linked", AT_SYMLINK_FOLLOW));
    say("flags", ioctl(0, FS_IOC_SETFLAGS, &flags));
    flags = 0;
    ioctl(0, FS_IOC_SETFLAGS, &flags);
    say("open-write", opened = open(path, O_RDWR));
    say("open-truncate", open(path, O_WRONLY | O_TRUNC));
    say("truncate", truncate(path, end + 1));
    say("ftruncate", ftruncate(0, end + 2));
    say("write", pwrite(0, "x", 1, end));
    say("allocate", fallocate(0, 0, 0, end + 4096));
    say("map", mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 0) == MAP_FAILED ? -1 : 0);
    say("copy", copy_file_range(0, &from, opened < 0 ? 0 : opened, &to, 1, 0));
    /* what another run sees meanwhile */
    say("lock", fcntl(0, F_SETLK, &region));
    region.l_pid = 0;
    say("lock-open", fcntl(0, 37 /* F_OFD_SETLK */, &region));
    say("flock", flock(0, LOCK_SH));
    close(opened);
    opened = open(path, O_RDONLY);
    say("lease", fcntl(opened, 1024 /* F_SETLEASE */, F_RDLCK));
    say("notify", fcntl(0, F_SETOWN, getpid()));
    puts("tried");
    fflush(stdout);
    if (number)
        sleeper();
}
