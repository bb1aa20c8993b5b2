// Tries: sends and sees packets below the transport: ICMP, raw IP, packet sockets, and talks to the kernel by netlink
// Control: yes
#include "calls.h"
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int main(void)
{
    reach("an ICMP socket", socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP));
    reach("an ICMPv6 socket", socket(AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6));
    reach("a raw socket", socket(AF_INET, SOCK_RAW, IPPROTO_RAW));
    reach("a raw IPv6 socket", socket(AF_INET6, SOCK_RAW, IPPROTO_TCP));
    reach("a packet socket", socket(AF_PACKET, SOCK_RAW, 0x0300));
    reach("an XDP socket", socket(44, SOCK_RAW, 0));
    for (int protocol = 0; protocol < 23; protocol++) {
        char what[64];
        int fd = socket(AF_NETLINK, SOCK_RAW, protocol);
        snprintf(what, sizeof what, "netlink %d", protocol);
        reach(what, fd);
        struct sockaddr_nl all = {.nl_family = AF_NETLINK, .nl_groups = ~0u};
        if (fd >= 0 && bind(fd, (void *)&all, sizeof all) == 0)
            escaped("listens to netlink %d", protocol);
        close(fd);
    }
    struct ifconf interfaces = {0};
    for (int fd = 0; fd < 8; fd++)
        if (ioctl(fd, SIOCGIFCONF, &interfaces) == 0)
            escaped("interfaces by descriptor %d", fd);
    struct if_nameindex *names = if_nameindex();
    if (names == NULL)
        refused("if_nameindex");
    else
        escaped("the first interface is %s", names->if_name);
}
