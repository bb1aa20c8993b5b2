// Tries: directories inside directories, deeper than a path can say, longer than names may be
// Control: yes
// Limits: inodes=200 cpu=2s
// Expect: exited output
// Bound: 200 levels
// Sentry: 400 levels

#include <attack.h>
#include <sys/stat.h>

int main(void)
{
    char name[201];
    memset(name, 'd', 200);
    name[200] = 0;
    for (long level = 1; level < 3000; level++) {
        if (mkdir(name, 0700) < 0 || chdir(name) < 0)
            break;
        got(level, "levels");
    }
    refused("mkdir");
}
