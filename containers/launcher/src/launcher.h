/* launcher.c: the steps of a launcher's life. */
#pragma once

#include "slot.h"

int prepare_process(struct slot *slot);
int set_up(struct slot *slot);         /* receives SETUP */
int announce(const struct slot *slot); /* all walls stand, also those around the launcher itself */
int serve(struct slot *slot);          /* the exit status */
