// Tries: to find in all memory that it can read a path of the judge's data, which says where the answers are
// Control: yes
// Problem: sum
// Verdict: WA
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char needle[8]; /* "/secret", made at run time: the program must not find itself */

static void look(const char *where, const char *data, size_t size)
{
    const char *at = memmem(data, size, needle, 7);
    if (at != NULL && at != needle) {
        printf("ESCAPED %s holds %.40s\n", where, at);
        exit(0);
    }
}

static void look_into(const char *path)
{
    static char data[1 << 20];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, data, sizeof data);
    if (size > 0)
        look(path, data, (size_t)size);
    memset(data, 0, sizeof data);
    if (fd >= 0)
        close(fd);
}

/* The stack up to its very end: arguments, environment, what the kernel put there. */
static void look_at_stack(char **argv)
{
    const char *end = (const char *)getauxval(AT_EXECFN);
    look("the stack", (const char *)argv, (size_t)(end + strlen(end) - (const char *)argv));
}

int main(int argc, char **argv)
{
    static const char *const files[] = {"environ", "cmdline", "mountinfo", "cgroup", "maps", "stat", "status", "limits"};
    for (int i = 0; i < 7; i++)
        needle[i] = (char)("0tfdsfu"[i] - 1);
    (void)argc;
    look_at_stack(argv);
    for (int pid = 0; pid < 48; pid++)
        for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
            char path[64];
            if (pid == 0)
                snprintf(path, sizeof path, "/proc/self/%s", files[i]);
            else
                snprintf(path, sizeof path, "/proc/%d/%s", pid, files[i]);
            look_into(path);
        }
    puts("0");
    return 0;
}
