// Tries: reads and writes the kernel's log, and the logs of the system
// Control: yes
#include "attack.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/klog.h>

int main(void)
{
    static char text[65536];
    TRY(klogctl(3 /* read all */, text, sizeof text));
    TRY(klogctl(10 /* size */, NULL, 0));
    static const char *const readable[] = {"/dev/kmsg",         "/proc/kmsg",        "/var/log/syslog",
                                           "/var/log/dmesg",    "/var/log/dpkg.log", "/var/log/kern.log",
                                           "/var/log/auth.log", "/run/log/journal",  "/var/log/wtmp"};
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        int fd = open(readable[i], O_RDONLY | O_NONBLOCK);
        if (fd < 0)
            refused(readable[i]);
        else
            escaped("opened %s", readable[i]);
    }
    int fd = open("/dev/kmsg", O_WRONLY);
    if (fd < 0)
        refused("write to /dev/kmsg");
    else
        escaped("/dev/kmsg can be written");
    DIR *log = opendir("/var/log");
    if (log == NULL)
        refused("list /var/log");
    else
        escaped("/var/log can be listed");
}
