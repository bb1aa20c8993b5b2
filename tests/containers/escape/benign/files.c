// Shows: files of its own: mkstemp, unlinked files, fopen, rename, remove, mkdir, opendir, symlink, truncate, 20 MB of them
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    long long a, b, c;
    char name[4096] = "mineXXXXXX", in_tmp[4096], block[65536];
    FILE *temporary = fopen("temporary", "w+"), *file = fopen("numbers", "w+");
    int own = mkstemp(name), count = 0;
    if (scanf("%lld%lld", &a, &b) != 2 || temporary == NULL || file == NULL || own < 0 ||
        unlink("temporary") != 0)
        return 1;
    snprintf(in_tmp, sizeof in_tmp, "%s/x", getenv("TMPDIR"));
    FILE *other = fopen(in_tmp, "w");
    if (other == NULL || fprintf(file, "%lld", a + b) < 0 || fclose(file) != 0)
        return 2;
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 320; i++)
        if (fwrite(block, 1, sizeof block, temporary) != sizeof block)
            return 3;
    if (rename("numbers", "renamed") != 0 || mkdir("directory", 0755) != 0 || symlink("renamed", "link") != 0)
        return 4;
    file = fopen("link", "r");
    if (file == NULL || fscanf(file, "%lld", &c) != 1 || truncate(name, 100) != 0 || remove("renamed") != 0)
        return 5;
    DIR *listing = opendir(".");
    while (readdir(listing) != NULL)
        count++;
    closedir(listing);
    printf("%lld\n", count >= 5 && rmdir("directory") == 0 ? c : 0);
    return 0;
}
