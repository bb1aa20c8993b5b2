/* What the C library knows of the first thread of an interpreter that is held. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpreter.h"

#define PAGE 4096

/* In glibc before 2.34 they are in a library of their own, which not every program has. */
#pragma weak pthread_attr_setstack
#pragma weak pthread_attr_setguardsize

extern void *__libc_stack_end;

static KEPT int host_proc = -1; /* while it starts */

void tell_stack_by(int proc) { host_proc = proc; }

/* Where its number is: a fork's is another. The C library tells debuggers (bits, count, and offset in what pthread_self()
 * points to); where it does not, it is the word that the kernel clears in the end, as it is in glibc before 2.43. */
int *find_thread_number(int *cleared)
{
    const uint32_t *place = dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid");
    int *number = place != NULL ? (int *)((char *)pthread_self() + place[2]) : cleared;
    return number != NULL && *number == (int)syscall(SYS_gettid) ? number : NULL;
}

/* What its stack may become, as the C library finds it: up to its limit, or to what is mapped below it. */
static int tell_stack(pthread_attr_t *out)
{
    const uintptr_t last = (uintptr_t)__libc_stack_end, top = (last & ~(uintptr_t)(PAGE - 1)) + PAGE;
    uintptr_t from, to, below = 0;
    struct rlimit limit;
    char *line = NULL;
    size_t room = 0, bytes = 0;
    if (pthread_attr_setstack == NULL || pthread_attr_setguardsize == NULL || getrlimit(RLIMIT_STACK, &limit) < 0)
        return ENOENT;
    int fd = openat(host_proc, "self/maps", O_RDONLY | O_CLOEXEC);
    FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
    if (maps == NULL) {
        close(fd);
        return ENOENT;
    }
    while (bytes == 0 && getline(&line, &room, maps) > 0) {
        if (sscanf(line, "%lx-%lx", &from, &to) != 2)
            continue;
        if (from <= last && last < to) {
            const uintptr_t most = top - below;
            bytes = (limit.rlim_cur - (to - top)) & ~(uintptr_t)(PAGE - 1);
            bytes = bytes < most ? bytes : most;
        }
        below = to;
    }
    free(line);
    fclose(maps);
    if (bytes == 0)
        return ENOENT;
    pthread_attr_init(out);
    pthread_attr_setguardsize(out, 0);
    return pthread_attr_setstack(out, (void *)(top - bytes), bytes);
}

/* The C library asks /proc, which is not there before there is a run; CPython bounds its recursion by the answer, since
 * 3.14. */
__attribute__((visibility("default"))) int pthread_getattr_np(pthread_t thread, pthread_attr_t *out)
{
    static KEPT int (*real)(pthread_t, pthread_attr_t *) = NULL;
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_getattr_np");
    const int error = real == NULL ? ENOSYS : real(thread, out);
    return error == 0 || host_proc < 0 || !pthread_equal(thread, pthread_self()) ? error : tell_stack(out);
}
