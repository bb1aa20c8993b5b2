/* Carries what a program and an interactor say to each other, one conversation after another. It keeps sums of what it
 * carries, and looks at no byte otherwise. Neither side holds a pipe of the other, so none can fill, empty or break what the
 * other one has:
 *
 *   program ── pipe ──► relay ── pipe ──► interactor ── pipe ──► relay ── pipe ──► program
 *
 * Who ended first decides verdicts, so no side learns of the other's end before the driver has timed that: the end of
 * file of a side that has closed both its streams is passed on when the driver says that its run has ended. One that has
 * closed its output alone lives, and its end of file is passed on once it has been so for a moment: the kernel closes the
 * streams of a process that ends one after the other. Nobody gets a broken pipe for the other's end:
 * what no one reads any more is counted and dropped. Who writes more than it may gets one.
 *
 * A program of its own, with neither a user's files nor root's powers: it becomes nobody, and its first message is a seccomp
 * program, which leaves it the calls that it makes on the descriptors that it is handed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "relay.h"
#include "sum.h"

#define PART (64 * 1024)
#define MOMENT_MS 100

struct side {
    int out, in;        /* what it writes, as we read it; what it reads, as we write it; -1: closed */
    bool ended;         /* its run, as the driver says */
    bool cut;           /* it wrote more than it may */
    struct sum sum;     /* of all that it wrote */
    uint64_t closed_ns; /* when it closed `out` */
    size_t from, to;
    char part[PART]; /* of what it wrote: [from, to) is to be passed on */
};

static struct side sides[SIDES];
static struct join asked;
static struct carried carried;
static bool reported_first_end;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void drop(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Until the first run has ended: what comes after that is no waiting. */
static void note_unread(int to)
{
    int unread = 0;
    if (!sides[0].ended && !sides[1].ended && sides[to].in >= 0 && ioctl(sides[to].in, FIONREAD, &unread) == 0)
        carried.unread[to] = (uint64_t)unread + (sides[!to].to - sides[!to].from);
}

static void keep(int by, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, carried.kept++) {
        const uint64_t past = carried.kept - RELAY_KEPT;
        uint8_t *pair = carried.kept < RELAY_KEPT ? carried.begin[carried.kept] : carried.end[past % RELAY_KEPT];
        pair[0] = (uint8_t)by;
        pair[1] = (uint8_t)bytes[i];
    }
}

/* What a side has written by now counts as what it said. */
static void note_spoken(int by, bool cut)
{
    carried.spoken[by] = carried.bytes[by];
    carried.sum[by] = sum_of(sides[by].sum);
    carried.cut[by] = cut;
}

static void note_mark(int by)
{
    if (carried.bytes[by] != asked.mark[by])
        return;
    carried.reached[by] = 1;
    carried.mark_sum[by] = sum_of(sides[by].sum);
}

/* Adds to the sum of a side, and takes that of the asked beginning on the way. */
static void add_up(int by, const char *bytes, size_t count)
{
    const uint64_t left = asked.mark[by] - carried.bytes[by];
    const size_t first = carried.bytes[by] < asked.mark[by] && left < count ? (size_t)left : count;
    sum_add(&sides[by].sum, bytes, first);
    carried.bytes[by] += first;
    note_mark(by);
    sum_add(&sides[by].sum, bytes + first, count - first);
    carried.bytes[by] += count - first;
}

/* Whether a side reads no more. The end that we write into says so at once. */
static bool is_deaf(int who)
{
    struct pollfd end = {sides[who].in, 0, 0};
    return sides[who].in < 0 || (poll(&end, 1, 0) > 0 && (end.revents & POLLERR));
}

static void hear(int by)
{
    struct side *side = &sides[by];
    const ssize_t got = read(side->out, side->part, PART);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        drop(&side->out);
        side->closed_ns = now_ns();
        return;
    }
    add_up(by, side->part, (size_t)got);
    keep(by, side->part, (size_t)got);
    side->from = 0;
    side->to = (size_t)got;
    side->cut = carried.bytes[by] > asked.most[by];
    if (side->cut) {
        drop(&side->out);
        side->to = 0;
    }
}

/* A side that has closed its output: perhaps that alone. */
static bool may_live(int who) { return sides[who].out < 0 && !sides[who].ended && !sides[who].cut && !is_deaf(who); }

/* Passes on what `by` wrote, and then, when it is time, that it writes no more. `broken`: the other one reads no more. */
static void pass_on(int by, bool broken)
{
    struct side *side = &sides[by], *other = &sides[!by];
    if (side->from < side->to && other->in >= 0) {
        const ssize_t put = write(other->in, side->part + side->from, side->to - side->from);
        side->from += put > 0 ? (size_t)put : 0;
        broken |= put < 0 && errno == EPIPE;
    }
    if (broken && other->in >= 0) {
        note_unread(!by);
        drop(&other->in);
    }
    if (other->in < 0)
        side->from = side->to;
    if (side->from < side->to || side->out >= 0)
        return;
    if (side->ended || (may_live(by) && now_ns() >= side->closed_ns + MOMENT_MS * 1000000ull))
        drop(&other->in);
}

static bool is_over(void)
{
    for (int i = 0; i < SIDES; i++)
        if (!sides[i].ended || sides[i].out >= 0)
            return false;
    return true;
}

/* Reads one message. False: the driver has gone, or breaks the protocol. */
static bool is_told(int socket)
{
    struct ended ended;
    if (recv(socket, &ended, sizeof ended, 0) != sizeof ended || ended.side > SIDES)
        return false;
    for (int i = 0; !reported_first_end && i < SIDES; i++)
        if (i != (int)ended.side)
            note_spoken(i, true);
    reported_first_end = true;
    if (ended.side == SIDES)
        return true;
    for (int i = 0; i < SIDES; i++)
        note_unread(i);
    sides[ended.side].ended = true;
    return true;
}

static bool carry(int socket)
{
    while (!is_over()) {
        struct pollfd polled[1 + 2 * SIDES] = {{socket, POLLIN, 0}};
        int pause = -1;
        for (int i = 0; i < SIDES; i++) {
            if (sides[!i].in >= 0 && may_live(i))
                pause = MOMENT_MS;
            const bool held = sides[i].from < sides[i].to;
            polled[1 + 2 * i] = (struct pollfd){held ? -1 : sides[i].out, POLLIN, 0};
            polled[2 + 2 * i] = (struct pollfd){sides[!i].in, held ? POLLOUT : 0, 0};
        }
        if (poll(polled, 1 + 2 * SIDES, pause) < 0 && errno != EINTR)
            return false;
        if (polled[0].revents && !is_told(socket))
            return false;
        for (int i = 0; i < SIDES; i++) {
            if (polled[1 + 2 * i].revents)
                hear(i);
            pass_on(i, polled[2 + 2 * i].revents & POLLERR);
        }
    }
    return true;
}

/* Waits for the next conversation. False: the driver has gone, or breaks the protocol. */
static bool begin(int socket)
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(2 * SIDES * sizeof(int))];
    } control;
    struct iovec part = {&asked, sizeof asked};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    int fds[2 * SIDES];
    ssize_t got;
    do { /* another run may have ended after this conversation was over */
        message.msg_controllen = sizeof control.space;
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (got == sizeof(struct ended));
    if (got != sizeof asked)
        return false;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head == NULL || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof fds))
        return false;
    memcpy(fds, CMSG_DATA(head), sizeof fds);
    memset(&carried, 0, sizeof carried);
    reported_first_end = false;
    for (int i = 0; i < SIDES; i++) {
        sides[i].out = fds[2 * i];
        sides[i].in = fds[2 * i + 1];
        sides[i].ended = sides[i].cut = false;
        sides[i].from = sides[i].to = 0;
        sides[i].sum = sum_begin(asked.key);
        note_mark(i);
        if (fcntl(sides[i].out, F_SETFL, O_NONBLOCK) < 0 || fcntl(sides[i].in, F_SETFL, O_NONBLOCK) < 0)
            return false;
    }
    return true;
}

/* An ordinary user stays who it is, and so does root where no other user can be had (a user namespace that maps none, a
 * container without that capability): the filter, without which nothing is carried, leaves no call that asks who we are. */
static bool give_up_powers(int socket)
{
    static struct sock_filter code[RELAY_CODE];
    if (geteuid() == 0 && setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
        setresuid(NOBODY, NOBODY, NOBODY) < 0)
        return false;
    const ssize_t got = recv(socket, code, sizeof code, 0);
    const struct sock_fprog program = {(unsigned short)(got / (ssize_t)sizeof *code), code};
    return got > 0 && prctl(PR_SET_DUMPABLE, 0) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* judge-relay SOCKET */
int main(int argc, char **argv)
{
    const int socket = argc > 1 ? atoi(argv[1]) : -1;
    signal(SIGPIPE, SIG_IGN);
    if (!give_up_powers(socket))
        return 1;
    while (begin(socket) && carry(socket)) {
        for (int i = 0; i < SIDES; i++) {
            drop(&sides[i].in);
            if (!carried.cut[i])
                note_spoken(i, false);
        }
        if (send(socket, &carried, sizeof carried, MSG_NOSIGNAL) != sizeof carried)
            return 1;
    }
    return 0;
}
