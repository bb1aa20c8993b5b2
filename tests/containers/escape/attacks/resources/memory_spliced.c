// Tries: keep pages of files that are gone in pipes and sockets, each with all that the kernel read or wrote together with it
// Control: yes

#include <attack.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

int main(void)
{
    static char block[4 << 20];
    int file = open("file", O_RDWR | O_CREAT, 0600), ends[2], both[2];
    if (pipe(ends) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, both) < 0 || write(file, block, sizeof block) < 0) {
        refused("a pipe, a socket or a file");
        return 0;
    }
    TRY(splice(file, &(loff_t){0}, ends[1], NULL, 1, 0));
    TRY(sendfile(ends[1], file, &(off_t){0}, 1));
    TRY(sendfile(both[1], file, &(off_t){2 << 20}, 1));
}
