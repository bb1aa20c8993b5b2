// Tries: connects to a listener on this machine by TCP, over IPv4, IPv6 and mapped addresses, and sends at once
// Control: yes
#include "attack.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static void attack(const char *what, int family, const void *address, socklen_t size)
{
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        refused(what);
        return;
    }
    if (connect(fd, address, size) == 0 || errno == EINPROGRESS) {
        if (write(fd, "secret\n", 7) == 7)
            escaped("%s", what);
    } else {
        refused(what);
    }
    close(fd);
    fd = socket(family, SOCK_STREAM, 0);
    if (sendto(fd, "secret\n", 7, MSG_FASTOPEN | MSG_DONTWAIT, address, size) >= 0)
        escaped("%s, with data at once", what);
    close(fd);
}

int main(void)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)canary_number("tcp"))};
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    attack("127.0.0.1", AF_INET, &v4, sizeof v4);
    v4.sin_addr.s_addr = 0;
    attack("0.0.0.0", AF_INET, &v4, sizeof v4);
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = v4.sin_port};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &v6.sin6_addr);
    attack("::ffff:127.0.0.1", AF_INET6, &v6, sizeof v6);
    const char *port = find_canary("tcp6");
    if (port == NULL)
        return 0;
    v6.sin6_port = htons((uint16_t)atoi(port));
    v6.sin6_addr = in6addr_loopback;
    attack("::1", AF_INET6, &v6, sizeof v6);
}
