/* relay.c: carries what a program and an interactor say to each other (containers/launcher/relay.py). */
#ifndef JUDGE_RELAY_H
#define JUDGE_RELAY_H

#include <stdint.h>

#define SIDES 2
#define RELAY_KEPT 4096 /* bytes of a conversation that are kept of its begin, and as many of its end */

/* Driver to relay, with four descriptors: of each side the end of the pipe that it writes, and of that which it reads. */
struct join {
    uint64_t most[SIDES]; /* bytes that the side may write */
};

/* Driver to relay: the run of a side has ended, and its end has been timed. */
struct ended {
    uint32_t side;
};

/* Relay to driver, when both have ended and all that they wrote has been carried. Bytes of either side are kept as pairs
 * of its number and the byte. */
struct carried {
    uint64_t bytes[SIDES];  /* written; more than `most`: it was cut off there */
    uint64_t unread[SIDES]; /* of what was for it, when the first run ended */
    uint64_t kept; /* of both sides: more than fit are a ring, with the oldest at (kept - begin) % RELAY_KEPT */
    uint8_t begin[RELAY_KEPT][2], end[RELAY_KEPT][2];
};

int relay(int socket);

#endif
