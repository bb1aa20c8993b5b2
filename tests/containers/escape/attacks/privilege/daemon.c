// Tries: goes on after the run: a process of its own session and group, orphaned, deaf to signals
// Control: yes
// Limits: processes=8
#include "attack.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

int main(void)
{
    int ends[2];
    if (pipe(ends) < 0)
        return 1;
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    pid_t child = fork();
    if (child == 0) {
        for (int signal = 1; signal < 65; signal++)
            sigignore(signal);
        bool session = setsid() >= 0, group = setpgid(0, 0) == 0;
        if (fork() != 0)
            _exit(0);
        session |= setsid() >= 0;
        group |= setpgid(0, 0) == 0;
        if (write(ends[1], (char[2]){session, group}, 2) != 2)
            _exit(1);
        for (int fd = 0; fd < 64; fd++)
            close(fd);
        sleep(60);
        _exit(0);
    }
    char done[2] = {0};
    if (child < 0 || read(ends[0], done, 2) != 2) {
        refused("fork");
        return 0;
    }
    if (done[0])
        escaped("a session of its own");
    else
        held("no session of its own");
    if (done[1])
        escaped("a group of its own");
    else
        held("no group of its own");
    waitpid(child, NULL, 0);
}
