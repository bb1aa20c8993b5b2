// Tries: opens the answer, whose path it knows, through every other name that leads there
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

static void spill(const char *how, int fd)
{
    char text[256];
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (got < 0) {
        refused(how);
    } else {
        text[got] = '\0';
        escaped("%s: %s", how, text);
    }
    if (fd >= 0)
        close(fd);
}

static void through(const char *prefix, const char *path)
{
    char name[4096];
    snprintf(name, sizeof name, "%s%s", prefix, path);
    spill(prefix, open(name, O_RDONLY));
}

static void attack(const char *path)
{
    static const char *const prefixes[] = {"",
                                           "/proc/self/root",
                                           "/proc/1/root",
                                           "/proc/thread-self/root",
                                           "/proc/self/cwd/../../../../../..",
                                           "../../../../../../../..",
                                           "/proc/self/task/1/root",
                                           "/box/../..",
                                           "/dev/fd/../../../..",
                                           "/usr/../"};
    char name[4096];
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        through(prefixes[i], path);
    for (const char *const *key = (const char *const[]){"pid", "neighbour", NULL}; *key; key++) {
        snprintf(name, sizeof name, "/proc/%s/root", canary(*key));
        through(name, path);
        snprintf(name, sizeof name, "/proc/%s/cwd/../../../../../..", canary(*key));
        through(name, path);
    }
    /* A descriptor without rights, opened again. */
    int handle = open(path, O_PATH);
    snprintf(name, sizeof name, "/proc/self/fd/%d", handle);
    spill("O_PATH, reopened", open(name, O_RDONLY));
    spill("O_PATH, by AT_EMPTY_PATH", openat(handle, "", O_RDONLY));
    if (chdir("/") == 0)
        spill("relative to /", open(path + 1, O_RDONLY));
    int root = open("/", O_PATH | O_DIRECTORY);
    spill("relative to a descriptor of /", openat(root, path + 1, O_RDONLY));
    snprintf(name, sizeof name, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (chdir(name) == 0)
        spill("from its own directory", open(strrchr(path, '/') + 1, O_RDONLY));
}

int main(void)
{
    attack(canary("answer"));
    attack(canary("file"));
}
