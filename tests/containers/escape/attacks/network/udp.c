// Tries: sends datagrams to a receiver on this machine, by every sending call, and to everybody
// Control: yes
#include "attack.h"
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

int main(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)canary_number("udp"))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (fd < 0)
        refused("socket");
    char secret[] = "secret";
    struct iovec part = {secret, sizeof secret};
    struct msghdr message = {.msg_name = &to, .msg_namelen = sizeof to, .msg_iov = &part, .msg_iovlen = 1};
    struct mmsghdr messages = {.msg_hdr = message};
    for (int at = fd < 0 ? 0 : fd; at <= (fd < 0 ? 8 : fd); at++) {
        TRY(sendto(at, secret, sizeof secret, 0, (void *)&to, sizeof to));
        TRY(sendmsg(at, &message, 0));
        TRY(sendmmsg(at, &messages, 1, 0));
    }
    TRY(connect(fd, (void *)&to, sizeof to));
    if (fd >= 0 && writev(fd, &part, 1) == sizeof secret)
        escaped("written to a connected socket");
    to.sin_addr.s_addr = htonl(INADDR_BROADCAST);
    TRY(setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &(int){1}, sizeof(int)));
}
