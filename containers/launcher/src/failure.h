/* failure.c: what went wrong in a step of ours. */
#pragma once

#include "wire.h"

/* Where the last failure was: set by TRY, sent to the driver as numbers. */
struct failure {
    int stage, index, error;
};
extern struct failure failure;

int fail(int stage, int index); /* records errno, returns -1 */
void send_failure(int socket, uint32_t sequence);

#define TRY(call, stage, index)                                                                                        \
    do {                                                                                                               \
        if ((call) < 0)                                                                                                \
            return fail((stage), (index));                                                                             \
    } while (0)
