// Tries: reads the message queues and shared memory objects of POSIX of others, and makes nameless memory that can be passed on
// Control: yes
#include "attack.h"
#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static void list(const char *path)
{
    DIR *directory = opendir(path);
    if (directory == NULL) {
        refused(path);
        return;
    }
    escaped("%s can be listed", path);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            escaped("%s/%s", path, entry->d_name);
    closedir(directory);
}

int main(void)
{
    const char *name = find_canary("mqueue");
    static char text[65536];
    if (name != NULL) {
        mqd_t queue = mq_open(name, O_RDONLY | O_NONBLOCK);
        ssize_t got = queue < 0 ? -1 : mq_receive(queue, text, sizeof text, NULL);
        if (got < 0)
            refused("mq_open, mq_receive");
        else
            escaped("the message queue: %.80s", text);
    }
    list("/dev/mqueue");
    list("/dev/shm");
    char left[256];
    snprintf(left, sizeof left, "/%s", canary("mark"));
    TRY(shm_open(left, O_RDWR | O_CREAT, 0600));
    shm_unlink(left);
    TRY(mq_open(left, O_RDWR | O_CREAT, 0600, NULL));
    mq_unlink(left);
    TRY(syscall(SYS_memfd_create, "x", 0));
#ifdef SYS_memfd_secret
    TRY(syscall(SYS_memfd_secret, 0));
#endif
}
