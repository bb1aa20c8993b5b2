// Tries: hide CPU time in children that the kernel reaps, for nobody waits for them, where processes are allowed
// Control: no, outside nothing limits CPU time
// Limits: processes=16 threads=16 cpu=0.3s wall=2s
// Expect: wall cpu exited
// Bound: 4 children

#include <attack.h>

int main(void)
{
    for (int i = 0; i < 4; i++)
        if (fork() == 0)
            for (volatile long n = 0;; n++)
                ;
    got(4, "children");
    sleep(10);
}
