// Tries: touch static memory that was there from the start
// Control: yes
// Limits: memory=32M cpu=1s wall=3s
// Expect: memory exited signalled
// Bound: 56 MiB

#include <attack.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static volatile char block[400l << 20];

int main(void)
{
    for (long mib = 0; mib < 400; mib++) {
        for (int at = 0; at < 1 << 20; at += 4096)
            block[(mib << 20) + at] = 1;
        got(mib + 1, "MiB");
    }
}
