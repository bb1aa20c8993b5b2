// Tries: stays stopped for ever
// Control: no, a limit on the wall clock ends it anywhere
// Limits: wall=0.5s
// Expect: wall
#include "attack.h"
#include <signal.h>

int main(void)
{
    held("it stops now");
    for (;;)
        raise(SIGSTOP);
}
