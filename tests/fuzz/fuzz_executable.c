/* What the launcher reads of an executable, whose headers the program chose: accepted where its loader is of the view. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint8_t *content;
static size_t content_size;
static char named[4096];

static ssize_t give(void *buffer, size_t size, off_t at)
{
    if (at < 0 || (size_t)at > content_size)
        return at < 0 ? -1 : 0;
    const size_t left = content_size - (size_t)at, length = left < size ? left : size;
    memcpy(buffer, content + at, length);
    return (ssize_t)length;
}

static int open_named(const char *name)
{
    snprintf(named, sizeof named, "%s", name);
    return 100;
}

static ssize_t give_named(char *buffer, size_t size)
{
    const size_t length = strlen(named) < size ? strlen(named) : size;
    memcpy(buffer, named, length);
    return (ssize_t)length;
}

#define close(fd) ((void)(fd), 0)
#define pread(fd, buffer, size, at) ((void)(fd), give(buffer, size, at))
#define syscall(number, base, name, how, size) ((void)(how), open_named(name))
#define readlinkat(fd, name, buffer, size) ((void)(fd), (void)(name), give_named(buffer, size))
#include "vet.c"
#undef close
#undef pread
#undef syscall
#undef readlinkat

enum count counted_as(const struct slot *slot, int call, const unsigned long long *arguments)
{
    return (void)slot, (void)call, (void)arguments, COUNT_NAME;
}

static int accepted(const uint8_t *data, size_t size)
{
    static struct setup_request setup = {.fixed = {.views = 1}};
    static const struct slot slot = {.host_proc = 3, .setup = &setup};
    setup.views[0] = (struct view_entry){.kind = VIEW_BIND, .source = "/usr"};
    content = data;
    content_size = size;
    return vet_executable(&slot, 7) == 0;
}

#include "harness.h"
