// Tries: makes and connects a socket by io_uring, whose operations no system call filter sees
// Control: yes
#include "calls.h"
#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>

static struct io_uring_params made;
static char *rings;
static struct io_uring_sqe *entries;
static int ring;

#define AT(offset) ((unsigned *)(rings + (offset)))

/* One operation, waited for. */
static int submit(const struct io_uring_sqe *entry)
{
    unsigned tail = *AT(made.sq_off.tail);
    entries[tail & *AT(made.sq_off.ring_mask)] = *entry;
    AT(made.sq_off.array)[tail & *AT(made.sq_off.ring_mask)] = tail & *AT(made.sq_off.ring_mask);
    __atomic_store_n(AT(made.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
        return -errno;
    unsigned head = *AT(made.cq_off.head);
    const struct io_uring_cqe *done = (void *)(rings + made.cq_off.cqes);
    int result = done[head & *AT(made.cq_off.ring_mask)].res;
    __atomic_store_n(AT(made.cq_off.head), head + 1, __ATOMIC_RELEASE);
    return result;
}

int main(void)
{
    ring = (int)syscall(SYS_io_uring_setup, 4, &made);
    if (ring < 0) {
        refused("io_uring_setup");
        return 0;
    }
    escaped("a ring");
    size_t size = made.sq_off.array + made.sq_entries * 4 + 4096;
    rings = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
    entries = mmap(NULL, made.sq_entries * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
    if (rings == MAP_FAILED || entries == MAP_FAILED)
        return 0;
    int fd = submit(&(struct io_uring_sqe){.opcode = 45 /* IORING_OP_SOCKET */, .fd = AF_INET, .off = SOCK_STREAM});
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)canary_number("tcp"))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct io_uring_sqe connect = {.opcode = IORING_OP_CONNECT, .fd = fd, .addr = (uintptr_t)&to, .off = sizeof to};
    if (fd >= 0 && submit(&connect) == 0)
        escaped("connected by io_uring");
}
