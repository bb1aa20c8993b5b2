// Tries: memory that is no mapping of a process: memfd, secret memory, System V, POSIX shared memory
// Control: yes

#include <attack.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>

int main(void)
{
    TRY(memfd_create("x", 0));
    TRY(syscall(447, 0)); /* memfd_secret */
    TRY(shmget(0x11223344, 1 << 20, IPC_CREAT | 0600));
    TRY(msgget(0x11223344, IPC_CREAT | 0600));
    TRY(semget(0x11223344, 100, IPC_CREAT | 0600));
    TRY(shm_open("/x", O_CREAT | O_RDWR, 0600));
    TRY((int)mq_open("/x", O_CREAT | O_RDWR, 0600, NULL));
    TRY(shmctl(shmget(0x11223344, 0, 0), IPC_RMID, NULL));
    TRY(msgctl(msgget(0x11223344, 0), IPC_RMID, NULL));
    TRY(semctl(semget(0x11223344, 0, 0), 0, IPC_RMID));
    TRY(shm_unlink("/x"));
    TRY(mq_unlink("/x"));
}
