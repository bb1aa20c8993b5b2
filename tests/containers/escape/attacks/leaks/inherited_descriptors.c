// Tries: uses descriptors that it was not given, and those that it was given the other way round
// Control: yes
// Limits: cpu=5s wall=30s
#include "attack.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

static void list(void)
{
    long open_ones = 0;
    for (int fd = 3; fd < 65536; fd++)
        if (fcntl(fd, F_GETFD) >= 0) {
            char name[64], target[256] = "?";
            snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
            if (readlink(name, target, sizeof target - 1) < 0)
                target[0] = '?';
            escaped("descriptor %d is open: %s", fd, target);
            open_ones++;
        }
    if (open_ones == 0)
        held("only 0, 1 and 2 are open");
}

static void turn_round(int fd, int mode, const char *what)
{
    char name[64];
    int given = fcntl(fd, F_GETFL);
    if ((given & O_ACCMODE) == O_RDWR)
        escaped("%d was given for reading and writing", fd);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int again = open(name, mode | O_NONBLOCK);
    char byte = 'x';
    if (again < 0)
        refused(what);
    else if (mode == O_WRONLY ? write(again, &byte, 1) < 0 : false)
        refused(what); /* opened, but sealed */
    else
        escaped("%s: %d", what, again);
}

int main(void)
{
    list();
    turn_round(0, O_WRONLY, "write to the input");
    turn_round(1, O_RDONLY, "read what others wrote to the output");
    turn_round(2, O_RDONLY, "read what others wrote to the errors");
    TRY(ftruncate(0, 0));
    for (int fd = 0; fd < 3; fd++) {
        struct stat status;
        if (fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode))
            escaped("%d is a socket", fd);
    }
}
