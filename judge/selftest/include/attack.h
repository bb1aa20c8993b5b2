/* What attacks are written with. An attack tries one mechanism and prints a line for each try:
 *
 *   ESCAPED <what>          it worked                       escaped("read %s", path)
 *   HELD <errno or what>    it was refused                  held("open: no such file")
 *   GOT <number> <unit>     so much it has had so far       got(threads, "threads")
 *   ABSENT <canary>         nothing to try on this machine
 *
 * TRY(call) does the first two for a call that returns -1 where it is refused. */
#ifndef ATTACK_H
#define ATTACK_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Unbuffered, one write a line: it is out before the next thing happens. */
__attribute__((format(printf, 2, 0))) static inline void attack_line(const char *kind, const char *format, va_list rest)
{
    char text[1024];
    int at = snprintf(text, sizeof text, "%s ", kind);
    at += vsnprintf(text + at, sizeof text - (size_t)at - 1, format, rest);
    if (at > (int)sizeof text - 2)
        at = (int)sizeof text - 2;
    text[at++] = '\n';
    if (write(1, text, (size_t)at) < 0)
        return;
}

__attribute__((format(printf, 1, 2))) static inline void escaped(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    attack_line("ESCAPED", format, rest);
    va_end(rest);
}

__attribute__((format(printf, 1, 2))) static inline void held(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    attack_line("HELD", format, rest);
    va_end(rest);
}

/* HELD with the name of errno. */
static inline void refused(const char *what)
{
    const char *name = strerrorname_np(errno);
    held("%s %s", name == NULL ? "0" : name, what);
}

/* The value of one line "key value" of standard input,*/
static inline const char *find_canary(const char *key)
{
    static char text[16384], found[4096];
    static ssize_t length = -1;
    if (length < 0) {
        length = pread(0, text, sizeof text - 1, 0);
        text[length > 0 ? length : 0] = '\0';
    }
    size_t size = strlen(key);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) == 0 && line[size] == ' ') {
            size_t end = strcspn(line + size + 1, "\n");
            snprintf(found, sizeof found, "%.*s", (int)end, line + size + 1);
            return strdup(found);
        }
    }
    return NULL;
}

/* The same; without it there is nothing to try. */
static inline const char *canary(const char *key)
{
    const char *value = find_canary(key);
    if (value == NULL) {
        dprintf(1, "ABSENT %s\n", key);
        exit(0);
    }
    return value;
}

static inline long canary_number(const char *key) { return strtol(canary(key), NULL, 0); }

/* So much has been had. Outside the sandbox that is enough past the bound. Without dprintf, whose buffer is allocated:
 * threads without a C library would do that at once. */
static inline void got(long number, const char *unit)
{
    static long enough = -1;
    char line[64];
    if (enough < 0) {
        const char *text = find_canary("enough");
        enough = text == NULL ? 0 : strtol(text, NULL, 10);
    }
    const int length = snprintf(line, sizeof line, "GOT %ld %s\n", number, unit);
    (void)!write(1, line, (size_t)length);
    if (enough > 0 && number > enough)
        _exit(0);
}

/* A call that returns -1 where it is refused. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((call) == -1)                                                                                              \
            refused(#call);                                                                                            \
        else                                                                                                           \
            escaped(#call);                                                                                            \
    } while (0)

#endif
