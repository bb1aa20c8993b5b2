/* stub.c: runs, one after the other. */
#pragma once

#include "slot.h"

/* What it exits with. */
enum stub_status {
    STUB_DONE /* the next one may come */,
    STUB_ENDED /* the driver has */,
    STUB_FAILED /* and left `failure` */
};
_Noreturn void stub_main(struct slot *slot);
