/* Probes of what processes and passes of one submission could signal by. */
#include <linux/futex.h>
#include <sys/file.h>

static unsigned *page_of_a_file; /* of our own executable: another process may map the same */
static void *sleep_on(void *unused)
{
    say("wait", syscall(SYS_futex, page_of_a_file, FUTEX_WAIT, *page_of_a_file, NULL, NULL, 0));
    return unused;
}
static void locks(void) /* of a file that other runs see, too */
{
    struct flock region = {.l_type = F_RDLCK};
    int file = open("/usr/bin/env", O_RDONLY);
    say("flock", flock(file, LOCK_EX | LOCK_NB));
    say("set", fcntl(file, F_SETLK, &region));
    region.l_type = F_WRLCK;
    say("get", fcntl(file, F_GETLK, &region));
    say("flags", fcntl(file, F_GETFL));
    exit(0);
}
static void shared_futexes(void) /* how many of two signals arrive; a thread that is joined; a pipe, two sockets */
{
    pthread_t thread;
    int pair[2], woken = 0;
    page_of_a_file = (unsigned *)((unsigned long)&shared_futexes & ~15ul);
    pthread_create(&thread, NULL, sleep_on, NULL);
    for (int i = 0; i < 100 && woken == 0; i++, usleep(1000))
        woken = syscall(SYS_futex, page_of_a_file, FUTEX_WAKE, 1, NULL, NULL, 0);
    printf("woken %d\n", woken);
    say("requeue", syscall(SYS_futex, page_of_a_file, FUTEX_REQUEUE, 1, 1, page_of_a_file + 1, 0));
    say("private", syscall(SYS_futex, page_of_a_file, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
    say("pipe", pipe(pair));
    say("sockets", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    say("dup", fcntl(0, F_DUPFD, 3));
    if (number == 0 && pthread_join(thread, NULL) == 0)
        puts("joined");
    exit(0);
}
