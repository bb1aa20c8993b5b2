/* What the driver and we say to each other (wire.h): requests with their descriptors, and failures. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "messages.h"

void send_failure(int socket, uint32_t sequence)
{
    const struct failed message = {.header = {WIRE_MAGIC, WIRE_VERSION, MESSAGE_FAILED, sequence},
                                   .stage = (uint32_t)failure.stage,
                                   .index = failure.index,
                                   .error = failure.error};
    send(socket, &message, sizeof message, MSG_NOSIGNAL);
}

/* One message with its descriptors, which are placed by the bits that ask for them later. The length; 0: the end. */
ssize_t receive(int socket, char *buffer, int *fds, int *count)
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(RUN_FDS * sizeof(int))];
    } control;
    struct iovec part = {buffer, MESSAGE_MAX};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.space,
                             .msg_controllen = CMSG_LEN(RUN_FDS * sizeof(int))}; /* with its padding one more fits */
    ssize_t length;
    do
        length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (length < 0 && errno == EINTR);
    *count = 0;
    for (struct cmsghdr *part_ = CMSG_FIRSTHDR(&message); part_ != NULL; part_ = CMSG_NXTHDR(&message, part_))
        if (part_->cmsg_level == SOL_SOCKET && part_->cmsg_type == SCM_RIGHTS) {
            *count = (int)((part_->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            memcpy(fds, CMSG_DATA(part_), (size_t)*count * sizeof(int));
        }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
        return 1; /* too short to be a message: refused by the parser */
    return length;
}

int receive_walls(struct slot *slot)
{
    static struct walls_request walls;
    static char buffer[MESSAGE_MAX]; /* the rules point into it */
    const struct standing standing = {.header = {WIRE_MAGIC, WIRE_VERSION, MESSAGE_STANDING, 0},
                                      .layers = slot->layers,
                                      .landlock_abi = slot->landlock_abi,
                                      .tmpfs = slot->tmpfs};
    int arrived[RUN_FDS], count;
    if (send(slot->socket, &standing, sizeof standing, MSG_NOSIGNAL) != sizeof standing)
        return fail(STAGE_PROTOCOL, 5);
    const ssize_t length = receive(slot->socket, buffer, arrived, &count);
    errno = EPROTO;
    if (length <= 0 || count > 0 || message_kind(buffer, (size_t)length) != MESSAGE_WALLS ||
        !parse_walls(buffer, (size_t)length, &walls))
        return fail(STAGE_PROTOCOL, 6);
    slot->walls = &walls;
    return 0;
}

/* Waits for the next request: what it says is the slot's, its descriptors are the caller's. 0: the driver has ended. */
int await_request(struct slot *slot, int *fds)
{
    static char buffer[MESSAGE_MAX];
    int arrived[RUN_FDS], count;
    for (;;) {
        ssize_t length = receive(slot->socket, buffer, arrived, &count);
        if (length <= 0)
            return 0;
        int kind = message_kind(buffer, (size_t)length);
        if (kind == MESSAGE_STOP && count == 0) /* came after its run had ended */
            continue;
        errno = EPROTO;
        if (kind != MESSAGE_RUN || !parse_run(buffer, (size_t)length, &slot->request) ||
            !place(slot->request.fixed.fds, RUN_FDS, arrived, count, fds)) {
            slot->request.fixed.header.sequence = 0;
            return fail(STAGE_PROTOCOL, 2);
        }
        return 1;
    }
}
