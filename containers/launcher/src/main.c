/* The launcher as a program. How it works: launcher.c. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "box.h"
#include "interpreter.h"
#include "launcher.h"
#include "messages.h"

/* Where the socket cannot be inherited: connects to the driver, who listens at this path for one. */
static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || strlen(path) >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, strlen(path));
    return connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 ? -1 : fd;
}

/* The library that interpreter.c begins in: these sources, but for this one. */
__asm__(".section .rodata\n"
        ".global library, library_end\n"
        ".hidden library, library_end\n"
        "library:\n"
        ".incbin \"interpreter.so\"\n"
        "library_end:\n"
        ".previous\n");
extern const char library[], library_end[];

/* In memory: it has no path that a program could see in its own mappings. */
static int open_library(void)
{
    const size_t size = (size_t)(library_end - library);
    int fd = (int)syscall(SYS_memfd_create, "interpreter", MFD_ALLOW_SEALING);
    if (fd < 0 || write(fd, library, size) != (ssize_t)size ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
        return -1;
    return dup2(fd, INTERPRETER_LIBRARY);
}

/* --interpreter SOCKET STACK PROGRAM ARGUMENT...: becomes an interpreter with the library in it. The limit of the stack
 * is that of the runs to come: the kernel lays out memory by it, and runtimes read it, when they are executed. */
static int become_interpreter(char **argv, char **envp)
{
    struct rlimit stack;
    char *with_library[ENV_MAX + 2];
    size_t count = 0;
    if (dup2(atoi(argv[0]), INTERPRETER_SOCKET) < 0 || open_library() < 0 || getrlimit(RLIMIT_STACK, &stack) < 0)
        return 1;
    stack.rlim_cur = strtoull(argv[1], NULL, 10);
    if (setrlimit(RLIMIT_STACK, &stack) < 0)
        return 1;
    for (; envp[count] != NULL; count++) {
        if (count == ENV_MAX)
            return 1;
        with_library[count] = envp[count];
    }
    with_library[count++] = (char[]){INTERPRETER_PRELOAD};
    with_library[count] = NULL;
    execve(argv[2], argv + 2, with_library);
    return 1;
}

int main(int argc, char **argv, char **envp)
{
    if (argc > 2 && strcmp(argv[1], "--remove") == 0)
        return remove_tree(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), argv[2]) == 0 ? 0 : 1;
    if (argc > 4 && strcmp(argv[1], "--interpreter") == 0)
        return become_interpreter(argv + 2, envp);
    struct slot slot = NO_SLOT;
    if (argc > 2 && strcmp(argv[1], "--connect") == 0)
        slot.socket = connect_to(argv[2]);
    else if (argc > 1)
        slot.socket = atoi(argv[1]);
    if (prepare_process(&slot) < 0 || set_up(&slot) < 0 || announce(&slot) < 0) {
        send_failure(slot.socket, 0);
        return 1;
    }
    return serve(&slot);
}
