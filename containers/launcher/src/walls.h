/* walls.c: what is put on the program in the child, just before exec. */
#pragma once

#include "slot.h"

int prepare_walls(struct slot *slot, const struct setup_request *request); /* all that asks for no rules */
int prepare_landlock(struct slot *slot);
int enter_walls(struct slot *slot, const struct run_request *request, pid_t stub, int *listener);
int offer_to_oom_killer(const struct slot *slot, const char *process); /* 1: not yet */
