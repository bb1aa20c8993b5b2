// Tries: makes a socket of every family, type and flag, one by one and in pairs
// Control: yes
#include "calls.h"
#include <sys/socket.h>

int main(void)
{
    static const int flags[] = {0, SOCK_CLOEXEC, SOCK_NONBLOCK};
    static const int pairs[] = {AF_UNIX, 30 /* TIPC */, 40 /* VSOCK */, AF_INET};
    long refusals = 0;
    for (int family = 0; family < 52; family++)
        for (int type = 1; type <= 10; type++)
            for (int flag = 0; flag < 3; flag++) {
                int made = socket(family, type | flags[flag], 0);
                if (made >= 0)
                    escaped("socket of family %d, type %d", family, type);
                else if (errno != EPERM && errno != EACCES && errno != ENOSYS)
                    escaped("family %d, type %d reached the kernel: %s", family, type, strerrorname_np(errno));
                else
                    refusals++;
                close(made);
            }
    held("%ld sockets", refusals);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int ends[2];
        if (pairs[i] != AF_UNIX) /* a stream to oneself is no more than a pipe, and Java needs it */
            reach("socketpair", socketpair(pairs[i], SOCK_STREAM, 0, ends));
        reach("socketpair of packets", socketpair(pairs[i], SOCK_SEQPACKET, 0, ends));
    }
}
