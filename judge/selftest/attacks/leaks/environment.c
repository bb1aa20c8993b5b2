// Tries: finds a secret of the judge in its own environment, and in those of the processes above it
// Control: yes
#include "attack.h"
#include <fcntl.h>

int main(void)
{
    const char *name = canary("env"), *marker = canary("secret-marker");
    const char *const owners[] = {"self", "1", canary("pid")};
    if (getenv(name) != NULL)
        escaped("%s=%s", name, getenv(name));
    for (int i = 0; i < 3; i++) {
        static char text[1 << 17];
        char path[64];
        snprintf(path, sizeof path, "/proc/%s/environ", owners[i]);
        int fd = open(path, O_RDONLY);
        ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
        if (size < 0)
            refused(path);
        else if (memmem(text, (size_t)size, marker, strlen(marker)) != NULL)
            escaped("%s holds the secret", path);
        else
            held("%s holds nothing", path);
    }
    return 0;
}
