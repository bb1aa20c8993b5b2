#include "request.h"

#include <string.h>

#define CALL_ARGUMENTS 6

/* What is left of a message. */
struct cursor {
    char *at, *end;
};

static bool take(struct cursor *cursor, void *out, size_t bytes)
{
    if ((size_t)(cursor->end - cursor->at) < bytes)
        return false;
    memcpy(out, cursor->at, bytes);
    cursor->at += bytes;
    return true;
}

static char *take_string(struct cursor *cursor)
{
    char *text = cursor->at;
    char *end = memchr(text, '\0', (size_t)(cursor->end - text));
    if (end == NULL)
        return NULL;
    cursor->at = end + 1;
    return text;
}

static bool take_strings(struct cursor *cursor, char **out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if ((out[i] = take_string(cursor)) == NULL)
            return false;
    return true;
}

/* A path from the root, without a component that leads up again. */
static bool absolute(const char *path)
{
    if (path == NULL || path[0] != '/')
        return false;
    for (const char *slash = path; slash != NULL; slash = strchr(slash + 1, '/'))
        if (slash[1] == '.' && slash[2] == '.' && (slash[3] == '/' || slash[3] == '\0'))
            return false;
    return true;
}

/* Components that cannot leave the directory in which they begin, at most PATH_PARTS of them, joined by "/".
   `directories` counts those above the last one. */
static bool relative_path(const char *path, uint32_t *directories)
{
    uint32_t parts = 0;
    if (path == NULL || strlen(path) >= PATH_BYTES)
        return false;
    for (const char *part = path;; part++) {
        const size_t length = strcspn(part, "/");
        if (length == 0 || (part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.'))))
            return false;
        parts++;
        part += length;
        if (*part == '\0')
            break;
    }
    *directories += parts - 1;
    return parts <= PATH_PARTS;
}

int message_kind(const char *message, size_t length)
{
    struct header header;
    if (length < sizeof header || length > MESSAGE_MAX)
        return 0;
    memcpy(&header, message, sizeof header);
    return header.magic == WIRE_MAGIC && header.version == WIRE_VERSION ? (int)header.kind : 0;
}

bool place(uint32_t bits, int places, const int *arrived, int count, int *out)
{
    int next = 0;
    for (int i = 0; i < places; i++)
        out[i] = bits >> i & 1 ? (next < count ? arrived[next++] : -1) : -1;
    return next == count && __builtin_popcount(bits) == count;
}

bool parse_setup(char *message, size_t length, struct setup_request *out)
{
    struct cursor cursor = {message, message + length};
    memset(out, 0, sizeof *out);
    if (!take(&cursor, &out->fixed, sizeof out->fixed) || out->fixed.views > VIEW_MAX)
        return false;
    for (uint32_t i = 0; i < out->fixed.views; i++) {
        struct view_entry *entry = &out->views[i];
        char kind;
        if (!take(&cursor, &kind, 1))
            return false;
        entry->kind = kind;
        entry->source = take_string(&cursor);
        entry->target = entry->source == NULL ? NULL : take_string(&cursor);
        if (!absolute(entry->target) || kind < VIEW_BIND || kind > VIEW_LIST)
            return false;
    }
    return cursor.at == cursor.end;
}

static bool take_program(struct cursor *cursor, struct program *out, struct sock_filter *code, size_t room)
{
    if (!take(cursor, out, sizeof *out) || out->length == 0 || out->length > room || out->owns > OWN_MAX)
        return false;
    for (uint32_t i = 0; i < out->owns; i++)
        if (out->own[i] >= out->length)
            return false;
    return take(cursor, code, out->length * sizeof *code);
}

static bool take_rules(struct cursor *cursor, struct walls_request *out)
{
    for (uint32_t i = 0; i < out->fixed.rules; i++) {
        struct landlock_rule *rule = &out->rules[i];
        if (!take(cursor, &rule->rights, sizeof rule->rights) || !absolute(rule->path = take_string(cursor)))
            return false;
    }
    return true;
}

static bool take_tables(struct cursor *cursor, struct walls_request *out)
{
    if (!take(cursor, out->uses, out->fixed.uses * sizeof *out->uses) ||
        !take(cursor, out->listened, out->fixed.listened * sizeof *out->listened))
        return false;
    for (uint32_t i = 0; i < out->fixed.uses; i++) {
        const struct use *use = &out->uses[i];
        if (use->directory < -1 || use->directory >= CALL_ARGUMENTS || use->name < 0 || use->name >= CALL_ARGUMENTS ||
            use->how < USE_LINK || use->how >= CALL_ARGUMENTS)
            return false;
    }
    for (uint32_t i = 0; i < out->fixed.listened; i++)
        if (out->listened[i].argument >= CALL_ARGUMENTS)
            return false;
    return true;
}

bool parse_walls(char *message, size_t length, struct walls_request *out)
{
    struct cursor cursor = {message, message + length};
    const struct walls *fixed = &out->fixed;
    size_t used = 0;
    memset(out, 0, sizeof *out);
    if (!take(&cursor, &out->fixed, sizeof out->fixed) || fixed->landlock_bytes > sizeof fixed->landlock ||
        fixed->rules > VIEW_MAX || fixed->uses > USES_MAX || fixed->listened > LISTENED_MAX ||
        !take_rules(&cursor, out) || !take_tables(&cursor, out))
        return false;
    for (int i = 0; i < FILTERS; i++) {
        out->begin[i] = out->code + used;
        if (!take_program(&cursor, &out->programs[i], out->begin[i], CODE_MAX - used))
            return false;
        used += out->programs[i].length;
    }
    return cursor.at == cursor.end;
}

bool parse_run(char *message, size_t length, struct run_request *out)
{
    struct cursor cursor = {message, message + length};
    memset(out, 0, sizeof *out);
    if (!take(&cursor, &out->fixed, sizeof out->fixed))
        return false;
    const struct run *run = &out->fixed;
    const uint32_t needed = FD_STDOUT | FD_STDERR | FD_STDIN;
    if (run->args == 0 || run->args > ARGS_MAX || run->envs > ENV_MAX || run->files > FILES_MAX ||
        run->collects > COLLECT_MAX || run->fds >> RUN_FDS != 0 || (run->fds & needed) != needed || run->wall_ns == 0 ||
        run->memory_bytes == 0 || run->threads == 0 || run->limits > LIMITS_MAX)
        return false;
    if ((run->files > 0 && !(run->fds & FD_BUNDLE)) || (run->collects > 0 && !(run->fds & FD_COLLECT)))
        return false;
    if (!take(&cursor, out->limits, run->limits * sizeof *out->limits) ||
        !take_strings(&cursor, out->argv, run->args) || !take_strings(&cursor, out->envp, run->envs))
        return false;
    for (uint32_t i = 0; i < run->files; i++) {
        struct file_entry entry;
        if (!take(&cursor, &entry, sizeof entry) ||
            !relative_path(out->files[i].name = take_string(&cursor), &out->directories))
            return false;
        out->files[i].bytes = entry.bytes;
        out->files[i].flags = entry.flags;
    }
    uint32_t above = 0;
    if (!take_strings(&cursor, out->collect, run->collects))
        return false;
    const bool all = run->collects == 1 && strcmp(out->collect[0], COLLECT_ALL) == 0;
    for (uint32_t i = 0; !all && i < run->collects; i++)
        if (!relative_path(out->collect[i], &above))
            return false;
    return cursor.at == cursor.end;
}
