// Tries: leaves a note for later runs, where every user of this machine may write
// Control: yes
#include "attack.h"
#include <fcntl.h>

int main(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", canary("world"), canary("mark"));
    TRY(open(path, O_WRONLY | O_CREAT, 0600));
    TRY(open(canary("writable"), O_WRONLY | O_APPEND));
    return 0;
}
