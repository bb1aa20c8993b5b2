// Tries: hide CPU time in threads whose leader has ended
// Control: no, outside nothing limits CPU time
// Limits: cpu=0.2s wall=4s
// Expect: cpu

#include <attack.h>
#include <pthread.h>
#include <sys/syscall.h>

static void *spin(void *unused)
{
    for (volatile long i = 0;; i++)
        ;
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, spin, NULL);
    syscall(SYS_exit, 0); /* the first thread alone */
}
