// Tries: reaches the host of a virtual machine, the kernel's cryptography, radios and buses by their socket families
// Control: yes
#include "calls.h"
#include <linux/if_alg.h>
#include <sys/socket.h>

struct vm_address {
    unsigned short family, reserved;
    unsigned port, cid;
    unsigned char zero[4];
};

static void to_host(unsigned cid, unsigned port)
{
    struct vm_address address = {40, 0, port, cid, {0}};
    char what[64];
    int fd = socket(40, SOCK_STREAM | SOCK_NONBLOCK, 0);
    snprintf(what, sizeof what, "vsock %u:%u", cid, port);
    if (fd < 0 || (connect(fd, (void *)&address, sizeof address) < 0 && errno != EINPROGRESS))
        refused(what);
    else
        escaped("%s", what);
    close(fd);
}

int main(void)
{
    const char *port = find_canary("vsock");
    if (port != NULL)
        to_host(1, (unsigned)atoi(port));
    to_host(2, 22);
    to_host(1, 1024);
    struct sockaddr_alg hash = {.salg_family = AF_ALG, .salg_type = "hash", .salg_name = "sha256"};
    int fd = socket(AF_ALG, SOCK_SEQPACKET, 0);
    reach("AF_ALG", fd);
    reach("bind of AF_ALG", bind(fd, (void *)&hash, sizeof hash));
    static const struct {
        int family, type, protocol;
        const char *name;
    } others[] = {
        {31, SOCK_RAW, 1, "Bluetooth"},   {29, SOCK_RAW, 1, "CAN"},        {39, SOCK_SEQPACKET, 1, "NFC"},
        {38, SOCK_DGRAM, 0, "AF_ALG"},    {41, SOCK_DGRAM, 0, "KCM"},      {43, SOCK_STREAM, 0, "SMC"},
        {21, SOCK_DGRAM, 2, "RDS/RXRPC"}, {33, SOCK_DGRAM, 2, "RXRPC"},    {30, SOCK_RDM, 0, "TIPC"},
        {42, SOCK_DGRAM, 0, "QIPCRTR"},   {45, SOCK_DGRAM, 0, "MCTP"},     {24, SOCK_STREAM, 0, "PPPoX"},
        {5, SOCK_DGRAM, 0, "AppleTalk"},  {3, SOCK_SEQPACKET, 0, "AX.25"}, {36, SOCK_DGRAM, 0, "IEEE 802.15.4"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        reach(others[i].name, socket(others[i].family, others[i].type, others[i].protocol));
}
