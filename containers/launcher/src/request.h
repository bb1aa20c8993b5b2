/* Requests taken apart: pure functions over one received message, which is never trusted to be well-formed. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>

#include "wire.h"

struct view_entry {
    int kind;
    const char *source, *target;
};

struct setup_request {
    struct setup fixed;
    struct view_entry views[VIEW_MAX];
};

#define PATH_BYTES 256
#define PATH_PARTS 8

struct file_request {
    uint64_t bytes;
    uint32_t flags;
    const char *name;
};

struct run_request {
    struct run fixed;
    struct limit limits[LIMITS_MAX];
    char *argv[ARGS_MAX + 1];
    char *envp[ENV_MAX + 1];
    struct file_request files[FILES_MAX];
    char *collect[COLLECT_MAX];
    uint32_t directories; /* at most so many are made for the files */
};

struct landlock_rule {
    struct rule rights;
    const char *path;
};

struct walls_request {
    struct walls fixed;
    struct landlock_rule rules[VIEW_MAX];
    struct use uses[USES_MAX];
    struct listened listened[LISTENED_MAX];
    struct program programs[FILTERS];
    struct sock_filter *begin[FILTERS]; /* of each program, in `code` */
    struct sock_filter code[CODE_MAX];
};

/* The kind of a message, or 0 if it is none of ours. */
int message_kind(const char *message, size_t length);

/* The results point into `message`. False: malformed. */
bool parse_setup(char *message, size_t length, struct setup_request *out);
bool parse_walls(char *message, size_t length, struct walls_request *out);
bool parse_run(char *message, size_t length, struct run_request *out);

/* Descriptors arrive in the order of their bits: gives each its place, -1 where there is none. False: not those. */
bool place(uint32_t bits, int places, const int *arrived, int count, int *out);
