// Tries: reaches sockets of the host by path and by abstract name, and hands a descriptor over
// Control: yes
#include "attack.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static void attack(const char *what, const char *name, bool abstract, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + abstract, sizeof address.sun_path - 1, "%s", name);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + strlen(name));
    int fd = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (void *)&address, size) < 0) {
        refused(what);
        return;
    }
    char space[CMSG_SPACE(sizeof(int))] = {0}, byte = 'x';
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &(int){0}, sizeof(int));
    escaped("%s, %s", what, sendmsg(fd, &message, 0) == 1 ? "with a descriptor" : "without a descriptor");
}

int main(void)
{
    static const char *const known[] = {"/run/docker.sock",
                                        "/var/run/docker.sock",
                                        "/run/systemd/journal/dev-log",
                                        "/dev/log",
                                        "/run/dbus/system_bus_socket",
                                        "/run/systemd/notify",
                                        "/run/containerd/containerd.sock",
                                        "/run/nscd/socket",
                                        "/run/uuidd/request"};
    attack("the judge's socket", canary("unix"), false, SOCK_STREAM);
    attack("the judge's abstract socket", canary("abstract"), true, SOCK_STREAM);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        attack(known[i], known[i], false, SOCK_STREAM);
        attack(known[i], known[i], false, SOCK_DGRAM);
    }
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    TRY(bind(fd, (void *)&own, sizeof own.sun_family)); /* an abstract name that the kernel chooses */
    TRY(listen(fd, 1));
    int ends[2];
    TRY(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
}
