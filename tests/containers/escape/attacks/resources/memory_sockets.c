// Tries: fill the buffers of sockets, which are the kernel's memory, and enlarge them
// Control: yes
// Limits: memory=32M
// Bound: 16 MiB

#include <attack.h>
#include <fcntl.h>
#include <sys/socket.h>

static long fill(int end)
{
    static char block[4096];
    const int most = 64 << 20;
    long bytes = 0;
    setsockopt(end, SOL_SOCKET, SO_SNDBUF, &most, sizeof most);
    fcntl(end, F_SETFL, O_NONBLOCK);
    for (ssize_t wrote; (wrote = write(end, block, sizeof block)) > 0;)
        bytes += wrote;
    return bytes;
}

int main(void)
{
    static const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    long bytes = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int ends[2]; socketpair(AF_UNIX, kinds[kind], 0, ends) == 0;) {
            bytes += fill(ends[0]) + fill(ends[1]);
            got(bytes >> 20, "MiB");
        }
    refused("socketpair");
}
