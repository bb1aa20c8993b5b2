/* box.c: the directories of a run. */
#pragma once

#include <stdint.h>

#include "slot.h"

/* One directory's entries, without an allocation. */
struct listing {
    int fd;
    long at, got;
    char buffer[2048] __attribute__((aligned(8)));
};
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

const struct entry *next_entry(struct listing *listing); /* NULL: no more, or it could not be opened */

int prepare_proc(const struct slot *slot);
int open_box(const struct slot *slot);
int fill_box(struct slot *slot, const struct run_request *request, int bundle);
#define UNSEEN_BYTES (1ull << 50) /* what lies in a directory that cannot be looked at counts as so many */
uint64_t box_used(const struct slot *slot);
uint64_t used_below(const struct slot *slot, int parent, const char *name, int depth, uint32_t *inodes);
int collect_files(const struct slot *slot, int out, int64_t *collected);
int empty_box(const struct slot *slot);
int remove_tree(int host_proc, const char *path);
