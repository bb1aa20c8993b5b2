/* view.c: namespaces and the minimal root; vet.c: what of it may be opened and changed, where no wall says so. */
#pragma once

#include "slot.h"

int build_view(struct slot *slot, const struct setup_request *request);

/* 0, or the error to answer. */
int vet(const struct slot *slot, pid_t caller, int call, const unsigned long long *arguments);
int vet_executable(const struct slot *slot, int fd);
