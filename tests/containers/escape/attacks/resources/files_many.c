// Tries: make more files than the inodes that a run may have: empty ones, links, directories, with long names
// Control: yes
// Limits: inodes=100 cpu=2s wall=30s
// Expect: exited output
// Bound: 100 files
// Sentry: 5000 files

#include <attack.h>
#include <fcntl.h>
#include <sys/stat.h>

int main(void)
{
    char name[256], other[256];
    long made = 0, failed = 0;
    for (int i = 0; i < 20000 && failed < 2000; i++) {
        memset(name, 'x', 200);
        snprintf(name + 200, 50, "%d", i);
        snprintf(other, sizeof other, "l%s", name);
        int done;
        switch (i % 3) {
        case 0: done = open(name, O_WRONLY | O_CREAT, 0600); break;
        case 1: done = mkdir(name, 0700); break;
        default: done = symlink("somewhere", name); break;
        }
        if (done >= 0)
            got(++made, "files");
        else
            failed++;
        if (done > 2)
            close(done);
    }
    refused("creation");
}
