// Shows: threads that are cancelled
// Except: vetted, where threads open no files, and the C library looks for libgcc_s only when it cancels one
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    long long a, b;
    pthread_t thread;
    void *result;
    if (scanf("%lld%lld", &a, &b) != 2 || pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
        return 1;
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%lld\n", result == PTHREAD_CANCELED ? a + b : 0);
    return 0;
}
