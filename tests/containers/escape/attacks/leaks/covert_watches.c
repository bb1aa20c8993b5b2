// Tries: watches what others do with files: inotify, fanotify, dnotify on what both can see
// Control: yes
#include "calls.h"
#include <fcntl.h>
#include <sys/inotify.h>

int main(void)
{
    static const char *const paths[] = {"/",        "..", "/tmp", "/usr/bin/env", "/proc/self/exe", "/proc/self/fd/0",
                                        "/dev/null"};
    int watches = inotify_init1(0);
    reach("inotify_init1", watches);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        reach(paths[i], inotify_add_watch(watches, paths[i], IN_ALL_EVENTS));
    reach("the judge's file", inotify_add_watch(watches, canary("file"), IN_ALL_EVENTS));
    REACH(SYS_fanotify_init, 0x200 /* FAN_REPORT_FID: of an ordinary user */, O_RDONLY);
    REACH(SYS_fanotify_mark, -1, 0, 0, AT_FDCWD, "/");
#ifdef SYS_inotify_init
    REACH(SYS_inotify_init);
#endif
}
