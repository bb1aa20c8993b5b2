// Tries: opens and makes devices, pipes with names, and terminals
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

int main(void)
{
    static const char *const names[] = {"mem",
                                        "kmem",
                                        "port",
                                        "kmsg",
                                        "sda",
                                        "vda",
                                        "nvme0n1",
                                        "loop0",
                                        "loop-control",
                                        "fuse",
                                        "kvm",
                                        "net/tun",
                                        "vhost-net",
                                        "vhost-vsock",
                                        "vsock",
                                        "ptmx",
                                        "tty",
                                        "console",
                                        "input/event0",
                                        "snapshot",
                                        "uinput",
                                        "userfaultfd",
                                        "dri/card0",
                                        "nvidia0",
                                        "nvidiactl",
                                        "btrfs-control",
                                        "mapper/control",
                                        "cpu/0/msr",
                                        "cpu/0/cpuid",
                                        "hpet",
                                        "rtc0",
                                        "watchdog",
                                        "autofs",
                                        "bus/usb/001/001",
                                        "sg0",
                                        "binder",
                                        "binderfs",
                                        "hwrng",
                                        "tpm0",
                                        "sgx_enclave",
                                        "sev",
                                        "udmabuf",
                                        "dma_heap/system",
                                        "shm/x",
                                        "mqueue/x",
                                        "cuse",
                                        "ppp",
                                        "rfkill",
                                        "uhid",
                                        "vfio/vfio",
                                        "cachefiles",
                                        "random/../mem"};
    char path[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/dev/%s", names[i]);
        if (open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) < 0 && open(path, O_RDWR | O_NONBLOCK | O_NOCTTY) < 0)
            refused(path);
        else
            escaped("opened %s", path);
    }
    TRY(mknod("disk", S_IFBLK | 0600, makedev(8, 0)));
    TRY(mknod("vdisk", S_IFBLK | 0600, makedev(254, 0)));
    TRY(mknod("memory", S_IFCHR | 0600, makedev(1, 1)));
    TRY(mknod("null", S_IFCHR | 0600, makedev(1, 3)));
    TRY(mknod("socket", S_IFSOCK | 0600, 0));
    TRY(mkfifo("pipe", 0600));
    TRY(mknodat(AT_FDCWD, "whiteout", S_IFCHR, 0));
    TRY(posix_openpt(O_RDWR));
}
