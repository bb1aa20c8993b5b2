// Tries: where processes are allowed, start more, each of which leaves its group, its session and its parent
// Control: yes
// Limits: processes=16 threads=16 cpu=1s wall=1s
// Expect: wall exited
// Bound: 64 processes

#include <attack.h>
#include <signal.h>
#include <sys/mman.h>

int main(void)
{
    int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *count = 1;
    for (int signal_ = 1; signal_ < 32; signal_++)
        signal(signal_, SIG_IGN);
    for (int tries = 0; tries < 100; tries++) {
        pid_t child = fork();
        if (child < 0) {
            refused("fork");
            break;
        }
        if (child == 0) {
            got(__sync_add_and_fetch(count, 1), "processes");
            setsid();
            setpgid(0, 0);
            if (tries % 2)
                continue;
        }
    }
    sleep(5);
}
