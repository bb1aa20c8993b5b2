// Tries: uses a socket that it did not make: on every number, as if one had been left open
// Control: no, nothing is left open outside either
#include "attack.h"
#include <netinet/in.h>
#include <sys/socket.h>

int main(void)
{
    char byte = 'x';
    struct sockaddr_storage name;
    int value;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)canary_number("tcp"))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    for (int fd = 0; fd < 1024; fd++) {
        socklen_t size = sizeof name;
        const long results[] = {
            getsockname(fd, (void *)&name, &size),
            getpeername(fd, (void *)&name, &size),
            getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &size),
            setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof value),
            shutdown(fd, SHUT_RDWR),
            connect(fd, (void *)&to, sizeof to),
            send(fd, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL),
            sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL),
            recv(fd, &byte, 1, MSG_DONTWAIT),
            recvmsg(fd, &message, MSG_DONTWAIT),
            accept(fd, NULL, NULL),
        };
        for (size_t i = 0; i < sizeof results / sizeof *results; i++)
            if (results[i] != -1)
                escaped("call %zu on descriptor %d", i, fd);
    }
    held("no descriptor is a socket");
}
