/* powers.c: capabilities, and the user that files are looked at as. */
#pragma once

#include "slot.h"

/* From set-up on, always in one of these: */
enum phase {
    PHASE_WAIT,    /* the launcher, while it has a stub */
    PHASE_PREPARE, /* the stub, before and after a run: nothing of a program is left */
    PHASE_RUN,     /* the stub, while a program runs, and until all that it left is looked at */
};
int enter_phase(const struct slot *slot, enum phase phase);
