// Tries: to remember earlier runs: leaves notes wherever it may write, and looks for notes of others
// Control: yes
// Problem: sum
// Tests: all
// Verdict: WA
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The system's places only where it is judged: nobody's own machine is to be littered. */
static const char *const places[] = {
    "note",     "../note",         "../in/note",      "/tmp/judge-note", "/dev/shm/judge-note", "/var/tmp/judge-note",
    "/box/note", "/run/judge-note", "/dev/judge-note",
};

int main(void)
{
    unsigned count = getenv("ONLINE_JUDGE") != NULL ? sizeof places / sizeof *places : 3;
    for (unsigned i = 0; i < count; i++) {
        char link[64];
        snprintf(link, sizeof link, "%s-link", places[i]);
        if (access(places[i], F_OK) == 0 || access(link, F_OK) == 0)
            printf("ESCAPED %s is still there\n", places[i]);
        int fd = open(places[i], O_WRONLY | O_CREAT, 0666);
        if (fd >= 0)
            close(fd);
        if (fd < 0 && mkdir(places[i], 0777) != 0 && symlink("/", link) != 0)
            continue;
    }
    puts("0");
    return 0;
}
