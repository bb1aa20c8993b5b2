/* messages.c: what the driver and we say to each other. */
#pragma once

#include <sys/types.h>

#include "slot.h"

ssize_t receive(int socket, char *buffer, int *fds, int *count);
int receive_walls(struct slot *slot); /* tells the driver what stands, and gets what goes with that */
int await_request(struct slot *slot, int *fds);
void send_failure(int socket, uint32_t sequence);
