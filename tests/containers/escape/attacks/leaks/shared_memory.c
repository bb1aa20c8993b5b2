// Tries: reads shared memory, messages and semaphores of System V that everybody on the machine may use
// Control: yes
#include "attack.h"
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

static void memory(key_t key)
{
    int segment = shmget(key, 0, 0);
    const char *at = shmat(segment, NULL, SHM_RDONLY);
    if (segment < 0 || at == (void *)-1)
        refused("shmget, shmat");
    else
        escaped("shared memory: %.80s", at);
    struct shmid_ds list;
    TRY(shmctl(0, SHM_INFO, &list));
    int own = shmget(IPC_PRIVATE, 4096, 0600);
    TRY(own);
    shmctl(own, IPC_RMID, NULL);
}

static void message(key_t key)
{
    struct {
        long kind;
        char text[256];
    } got = {0};
    int queue = msgget(key, 0);
    if (queue < 0 || msgrcv(queue, &got, sizeof got.text - 1, 0, IPC_NOWAIT) < 0)
        refused("msgget, msgrcv");
    else
        escaped("a message: %.80s", got.text);
}

static void semaphore(key_t key)
{
    struct sembuf down = {.sem_op = -1, .sem_flg = IPC_NOWAIT};
    int number = semget(key, 0, 0);
    if (number < 0)
        refused("semget");
    else
        escaped("the semaphore can be reached: %d", semctl(number, 0, GETVAL));
    if (number < 0 || semop(number, &down, 1) < 0)
        refused("semop");
    else
        escaped("the semaphore was taken down");
}

int main(void)
{
    const char *shm = find_canary("shm"), *msg = find_canary("msg"), *sem = find_canary("sem");
    if (!shm && !msg && !sem)
        canary("shm");
    if (shm)
        memory((key_t)strtol(shm, NULL, 10));
    if (msg)
        message((key_t)strtol(msg, NULL, 10));
    if (sem)
        semaphore((key_t)strtol(sem, NULL, 10));
}
