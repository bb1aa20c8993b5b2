/* What the driver (__init__.py) and relay.c say to each other. The first message is the seccomp program of the relay. */
#pragma once

#include <stdint.h>

#define SIDES 2
#define RELAY_CODE 256  /* instructions of the seccomp program, at most */
#define NOBODY 65534    /* user and group */
#define RELAY_KEPT 4096 /* bytes of a conversation that are kept of its begin, and as many of its end */

/* Driver to relay, with four descriptors: of each side the end of the pipe that it writes, and of that which it reads. */
struct join {
    uint64_t most[SIDES]; /* bytes that the side may write */
    uint64_t key[2];      /* of all sums: unknown to programs */
    uint64_t mark[SIDES]; /* of so many bytes of the side the sum is asked for, too */
};

/* Driver to relay: the run of a side has ended, and its end has been timed. */
struct ended {
    uint32_t side; /* SIDES: a run of another conversation beside this one */
};

/* Relay to driver, when both have ended and all that they wrote has been carried. Bytes of either side are kept as pairs
 * of its number and the byte. */
struct carried {
    uint64_t bytes[SIDES];  /* written; more than `most`: it was cut off there */
    uint64_t unread[SIDES]; /* of what was for it, when the first run ended */
    /* What a side wrote until the first end was told; the side that ended first: all. */
    uint64_t spoken[SIDES], sum[SIDES];
    uint64_t cut[SIDES];                      /* 1: it was not the first to end */
    uint64_t reached[SIDES], mark_sum[SIDES]; /* whether it wrote as much as `mark`, and the sum of that */
    uint64_t kept; /* of both sides: more than fit are a ring, with the oldest at (kept - begin) % RELAY_KEPT */
    uint8_t begin[RELAY_KEPT][2], end[RELAY_KEPT][2];
};
