// Tries: hide CPU time and memory by becoming another program again and again
// Control: no, outside nothing limits CPU time
// Limits: cpu=0.2s wall=4s
// Expect: cpu exited

#include <attack.h>

int main(int argc, char **argv)
{
    char *arguments[] = {argv[0], NULL}, *nothing[] = {NULL};
    for (volatile int i = 0; i < 3000000; i++)
        ;
    execve("/proc/self/exe", arguments, nothing);
    refused("execve");
    (void)argc;
}
