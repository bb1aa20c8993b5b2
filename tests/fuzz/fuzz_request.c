/* The launcher's request parser on arbitrary messages.
 *
 * Input: one byte, how many descriptors arrived, then the message as it came off the socket. The message lies in a heap
 * block of its very size, so that one byte too far is seen. What the parser accepts is walked through as the launcher
 * would, and must be what request.h promises. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static const char *message, *message_end;

/* A string of the message itself, ended inside it. */
static void check_string(const char *text)
{
    REQUIRE(text >= message && text < message_end);
    REQUIRE(text + strlen(text) < message_end);
}

static void check_name(const char *name)
{
    check_string(name);
    REQUIRE(name[0] != '\0' && name[0] != '/' && strlen(name) < 256 && name[strlen(name) - 1] != '/');
    REQUIRE(strstr(name, "//") == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
    REQUIRE(strncmp(name, "./", 2) != 0 && strncmp(name, "../", 3) != 0);
    REQUIRE(strstr(name, "/./") == NULL && strstr(name, "/../") == NULL);
    REQUIRE(strlen(name) < 2 || strcmp(name + strlen(name) - 2, "/.") != 0);
    REQUIRE(strlen(name) < 3 || strcmp(name + strlen(name) - 3, "/..") != 0);
}

static void check_strings(char *const *strings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        check_string(strings[i]);
    REQUIRE(strings[count] == NULL); /* execve reads until there */
}

static void check_setup(const struct setup_request *request)
{
    REQUIRE(request->fixed.views <= VIEW_MAX);
    for (uint32_t i = 0; i < request->fixed.views; i++) {
        const struct view_entry *entry = &request->views[i];
        REQUIRE(entry->kind >= VIEW_BIND && entry->kind <= VIEW_LIST);
        check_string(entry->source);
        check_string(entry->target);
        REQUIRE(entry->target[0] == '/' && strstr(entry->target, "/../") == NULL);
    }
}

static void check_run(const struct run_request *request)
{
    const struct run *run = &request->fixed;
    REQUIRE(run->args >= 1 && run->args <= ARGS_MAX && run->envs <= ENV_MAX);
    REQUIRE(run->files <= FILES_MAX && run->collects <= COLLECT_MAX);
    REQUIRE(run->limits <= LIMITS_MAX);
    REQUIRE(run->wall_ns > 0 && run->memory_bytes > 0 && run->threads > 0);
    check_strings(request->argv, run->args);
    check_strings(request->envp, run->envs);
    for (uint32_t i = 0; i < run->files; i++)
        check_name(request->files[i].name);
    for (uint32_t i = 0; i < run->collects; i++)
        if (run->collects > 1 || strcmp(request->collect[0], COLLECT_ALL) != 0)
            check_name(request->collect[i]);
}

static void check_walls(const struct walls_request *request)
{
    REQUIRE(request->fixed.landlock_bytes <= 24 && request->fixed.rules <= VIEW_MAX && request->fixed.uses <= USES_MAX);
    for (uint32_t i = 0; i < request->fixed.rules; i++) {
        check_string(request->rules[i].path);
        REQUIRE(request->rules[i].path[0] == '/' && strstr(request->rules[i].path, "/../") == NULL);
    }
    for (uint32_t i = 0; i < request->fixed.uses; i++) {
        const struct use *use = &request->uses[i];
        REQUIRE(use->directory >= -1 && use->directory < 6 && use->name >= 0 && use->name < 6 && use->how < 6);
    }
    REQUIRE(request->fixed.listened <= LISTENED_MAX);
    for (uint32_t i = 0; i < request->fixed.listened; i++)
        REQUIRE(request->listened[i].argument < 6);
    for (int i = 0; i < FILTERS; i++) {
        const struct program *program = &request->programs[i];
        const size_t begin = (size_t)(request->begin[i] - request->code);
        REQUIRE(program->length > 0 && program->owns <= OWN_MAX && begin + program->length <= CODE_MAX);
        for (uint32_t own = 0; own < program->owns; own++)
            REQUIRE(program->own[own] < program->length);
    }
}

/* Each descriptor that arrived has one place, and each place that was asked for has one. */
static void check_places(uint32_t bits, const int *fds, int count)
{
    int placed = 0;
    for (int i = 0; i < RUN_FDS; i++) {
        REQUIRE((fds[i] >= 0) == (bits >> i & 1));
        if (fds[i] >= 0)
            REQUIRE(fds[i] == 100 + placed++); /* in the order in which they came */
    }
    REQUIRE(placed == count);
}

/* Whether the launcher would act on it. */
static int take(char *copy, size_t length, int count)
{
    static struct setup_request setup;
    static struct run_request run;
    static struct walls_request walls;
    int arrived[RUN_FDS], fds[RUN_FDS];
    for (int i = 0; i < RUN_FDS; i++)
        arrived[i] = i < count ? 100 + i : -7; /* past those that arrived: not to be used */
    switch (message_kind(copy, length)) {
    case MESSAGE_SETUP:
        if (!parse_setup(copy, length, &setup))
            return 0;
        check_setup(&setup);
        return place(setup.fixed.fds, SETUP_FDS, arrived, count, fds);
    case MESSAGE_RUN:
        if (!parse_run(copy, length, &run))
            return 0;
        check_run(&run);
        if (!place(run.fixed.fds, RUN_FDS, arrived, count, fds))
            return 0;
        check_places(run.fixed.fds, fds, count);
        return 1;
    case MESSAGE_WALLS:
        if (count > 0 || !parse_walls(copy, length, &walls))
            return 0;
        check_walls(&walls);
        return 1;
    case MESSAGE_STOP: return 1;
    default: return 0;
    }
}

static int accepted(const uint8_t *data, size_t size)
{
    if (size < 1 || size - 1 > MESSAGE_MAX)
        return 0;
    size_t length = size - 1;
    char *copy = malloc(length);
    memcpy(copy, data + 1, length);
    message = copy;
    message_end = copy + length;
    int result = take(copy, length, data[0] % (RUN_FDS + 1));
    free(copy);
    return result;
}

#include "harness.h"
