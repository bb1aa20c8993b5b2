// Tries: fill the buffers of pipes and sockets, which are the kernel's memory
// Control: yes
// Limits: memory=32M
// Bound: 4 MiB

#include <attack.h>
#include <fcntl.h>
#include <sys/socket.h>

int main(void)
{
    static char block[4096];
    long bytes = 0;
    for (int ends[2]; pipe2(ends, O_NONBLOCK) == 0;) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        for (ssize_t wrote; (wrote = write(ends[1], block, sizeof block)) > 0;)
            bytes += wrote;
        got(bytes >> 20, "MiB");
    }
    refused("pipe");
}
