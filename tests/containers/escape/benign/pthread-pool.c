// Shows: a pool of pthreads with stacks of their own size, barrier, semaphore, keys, names
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static long long a, b, sum;
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static pthread_key_t key;

static void *work(void *number)
{
    pthread_setspecific(key, number);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&lock);
    sum += (long)pthread_getspecific(key) == 0 ? a : (long)pthread_getspecific(key) == 1 ? b : 0;
    pthread_mutex_unlock(&lock);
    sem_post(&done);
    return NULL;
}

int main(void)
{
    pthread_t threads[48];
    pthread_attr_t attributes;
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    pthread_barrier_init(&barrier, NULL, 48);
    sem_init(&done, 0, 0);
    pthread_key_create(&key, NULL);
    for (long i = 0; i < 48; i++)
        if (pthread_create(&threads[i], &attributes, work, (void *)i) != 0)
            return 2;
    for (int i = 0; i < 48; i++)
        sem_wait(&done);
    for (int i = 0; i < 48; i++)
        pthread_join(threads[i], NULL);
    pthread_setname_np(pthread_self(), "main");
    printf("%lld\n", sum);
    return 0;
}
