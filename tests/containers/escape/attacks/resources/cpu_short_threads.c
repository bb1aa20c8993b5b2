// Tries: hide CPU time in threads that each live shorter than a clock tick
// Control: no, outside nothing limits CPU time
// Limits: cpu=0.2s wall=5s
// Expect: cpu

#include <attack.h>
#include <pthread.h>

static void *spin(void *unused)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
    return unused;
}

int main(void)
{
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, spin, NULL) == 0)
            pthread_join(thread, NULL);
    }
}
