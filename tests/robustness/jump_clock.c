/* A wall clock that jumps: preloaded into a process, each look at it is a day further, or back. The monotonic clock goes
 * on as it is, as the kernel promises. tests/robustness/places.py builds and uses it. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

static _Atomic unsigned looks;

static long jump(void)
{
    static const long days[] = {0, 1, -1, 400, -400, 2};
    return 86400 * days[atomic_fetch_add(&looks, 1) / 3 % (sizeof days / sizeof days[0])];
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int result = ((int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime"))(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME)
        time->tv_sec += jump();
    return result;
}

time_t time(time_t *where)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where != NULL)
        *where = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *time, void *zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}
