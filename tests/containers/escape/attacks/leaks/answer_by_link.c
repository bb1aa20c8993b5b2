// Tries: brings a file of the judge into its own directory: by symbolic and hard links, by renaming, by copying
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>

static void spill(const char *how, const char *path)
{
    char text[256];
    int fd = open(path, O_RDONLY);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (got < 0) {
        refused(how);
        return;
    }
    text[got] = '\0';
    escaped("%s: %s", how, text);
    close(fd);
}

int main(void)
{
    const char *const keys[] = {"file", "answer", "writable"};
    char home[4096], name[64];
    if (getcwd(home, sizeof home) == NULL)
        return 1;
    for (int i = 0; i < 3; i++) {
        const char *path = canary(keys[i]);
        snprintf(name, sizeof name, "soft%d", i);
        if (symlink(path, name) == 0)
            spill("a symbolic link", name);
        snprintf(name, sizeof name, "hard%d", i);
        if (link(path, name) == 0)
            spill("a hard link", name);
        else
            refused("link");
        snprintf(name, sizeof name, "followed%d", i);
        if (linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
            spill("a hard link to what a link names", name);
        else
            refused("linkat");
        int handle = open(path, O_PATH);
        snprintf(name, sizeof name, "empty%d", i);
        if (linkat(handle, "", AT_FDCWD, name, AT_EMPTY_PATH) == 0)
            spill("a hard link of a descriptor", name);
        else
            refused("linkat of a descriptor");
        snprintf(name, sizeof name, "moved%d", i);
        if (rename(path, name) == 0)
            spill("renamed", name);
        else
            refused("rename");
        if (close(open("exchanged", O_WRONLY | O_CREAT, 0600)) == 0 &&
            syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, "exchanged", 2 /* RENAME_EXCHANGE */) == 0)
            spill("exchanged", "exchanged");
        else
            refused("renameat2");
    }
}
