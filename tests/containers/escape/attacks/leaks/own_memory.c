// Tries: finds secrets that the judge left in the program's own memory: environment, stack, auxiliary vector, fresh pages
// Control: no, there is nothing of the judge in a process that it did not start
// Limits: memory=256M
#include "attack.h"
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>

static const char *name, *marker;
static long searched, dirty;
extern char **environ;

/* The bytes are copied by the kernel, which says so where there is no memory. */
static bool readable(int pipe_in, const char *at) { return write(pipe_in, at, 1) == 1; }

static void search(const char *from, size_t bytes, const char *what)
{
    const size_t size = strlen(marker);
    for (size_t i = 0; i + size + 1 < bytes; i++) {
        if (from[i] == 'J' && memcmp(from + i, name, strlen(name)) == 0 && from[i + strlen(name)] == '=')
            escaped("%s holds the variable: %.80s", what, from + i);
        if (from[i] == marker[0] && memcmp(from + i, marker, size) == 0 && strchr("0123456789abcdef", from[i + size]))
            escaped("%s holds %.64s", what, from + i);
    }
    searched += (long)bytes;
}

/* Upwards from the environment to the end of the stack, and downwards to where it has not been. */
static void search_stack(void)
{
    int ends[2];
    if (pipe(ends) < 0)
        return;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    char *top = (char *)((uintptr_t)environ & ~4095ul);
    while (readable(ends[1], top + 4096))
        top += 4096;
    char *bottom = (char *)((uintptr_t)&ends & ~4095ul);
    while (readable(ends[1], bottom - 4096))
        bottom -= 4096;
    search(bottom, (size_t)(top + 4096 - bottom), "the stack");
}

/* What the kernel or the allocator gives must be zeros. */
static void search_fresh(const char *what, const char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        dirty += at[i] != 0;
    if (dirty > 0)
        escaped("%s held %ld bytes that are not zero", what, dirty);
    search(at, bytes, what);
}

int main(void)
{
    static char bss[1 << 20];
    const size_t size = 4 << 20;
    marker = strdup(canary("secret-marker"));
    name = strdup(canary("env"));
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, name, strlen(name)) == 0)
            escaped("environment: %s", *variable);
    if (getauxval(AT_SECURE) == 0)
        search_stack();
    search_fresh("static memory", bss, sizeof bss);
    search_fresh("a private mapping", mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                 size);
    search_fresh("a shared mapping", mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), size);
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    if (fallocate(fd, 0, 0, size) < 0 && ftruncate(fd, size) < 0)
        return 1;
    search_fresh("new blocks of a file", mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0), size);
    held("%ld bytes hold no secret", searched);
}
