// Tries: makes namespaces, in which it would be root
// Control: yes
#include "attack.h"
#include <sched.h>
#include <sys/mount.h>

int main(void)
{
    TRY(unshare(CLONE_NEWUSER | CLONE_NEWNS));
    TRY(unshare(CLONE_NEWNET));
    return 0;
}
