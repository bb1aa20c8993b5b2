/* filter.c: the seccomp programs of the slot. */
#pragma once

#include "slot.h"

void put_own_number(struct slot *slot, enum filter filter, pid_t pid);
int install_filter(const struct slot *slot, enum filter filter, unsigned flags); /* as seccomp(2) */
int limit_calls(const struct slot *slot); /* of the launcher, and of all that it starts */
enum count counted_as(const struct slot *slot, int call, const unsigned long long *arguments);
