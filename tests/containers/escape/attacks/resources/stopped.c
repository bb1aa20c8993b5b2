// Tries: keep a slot for ever by stopping itself, each thread of it, and by waiting for input that has ended
// Control: no, outside nothing limits time
// Limits: wall=0.5s
// Expect: wall

#include <attack.h>
#include <pthread.h>
#include <signal.h>

static void *stop(void *unused)
{
    for (;;)
        raise(SIGSTOP);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, stop, NULL);
    for (;;)
        kill(getpid(), SIGSTOP);
}
