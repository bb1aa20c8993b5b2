// Tries: reports a result of its own on every descriptor
// Control: no, nothing is left open outside either
#include "attack.h"

int main(void)
{
    int open_ones = 0;
    for (int fd = 3; fd < 1024; fd++)
        if (write(fd, "AC\n", 3) == 3) {
            escaped("descriptor %d took it", fd);
            open_ones++;
        }
    if (open_ones == 0)
        held("no descriptor took it");
    return 0;
}
