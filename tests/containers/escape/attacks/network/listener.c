// Tries: waits for connections, so that a neighbour or the network could come in
// Control: yes
#include "calls.h"
#include <netinet/in.h>
#include <sys/socket.h>

int main(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    struct sockaddr_in6 any6 = {.sin6_family = AF_INET6};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    reach("socket", fd);
    reach("bind", bind(fd, (void *)&any, sizeof any));
    reach("listen", listen(fd, 8));
    reach("accept4", accept4(fd, NULL, NULL, 0));
    reach("listen without bind", listen(socket(AF_INET, SOCK_STREAM, 0), 8));
    reach("bind for datagrams", bind(socket(AF_INET, SOCK_DGRAM, 0), (void *)&any, sizeof any));
    reach("bind on IPv6", bind(socket(AF_INET6, SOCK_STREAM, 0), (void *)&any6, sizeof any6));
    for (int given = 0; given < 3; given++) {
        reach("listen on what was given", listen(given, 1));
        reach("accept on what was given", accept4(given, NULL, NULL, SOCK_NONBLOCK));
    }
}
