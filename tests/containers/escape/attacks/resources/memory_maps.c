// Tries: cut memory into as many mappings as the kernel allows, each of which costs the kernel some
// Control: no, the kernel bounds it for everybody; what is shown is that the sandbox survives it
// Limits: memory=32M cpu=1s wall=4s
// Expect: exited memory cpu
// Bound: 70000 mappings

#include <attack.h>
#include <sys/mman.h>

int main(void)
{
    for (long count = 0;; count++) {
        if (mmap(NULL, 4096, count % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
            MAP_FAILED)
            break;
        if (count % 1000 == 0)
            got(count, "mappings");
    }
    refused("mmap");
}
