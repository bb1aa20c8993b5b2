// Tries: connects to a port of this machine
// Control: yes
#include "attack.h"
#include <arpa/inet.h>
#include <sys/socket.h>

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)canary_number("tcp"))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    TRY(connect(fd, (void *)&address, sizeof address));
    return 0;
}
