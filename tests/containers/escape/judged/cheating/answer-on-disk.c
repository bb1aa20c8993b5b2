// Tries: to find an answer in the directories around it and to print it
// Control: yes
// Problem: sum
// Verdict: WA
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"answer", "expected", ".ans", ".out", ".a"};

static int promising(const char *name)
{
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]) != NULL)
            return 1;
    return 0;
}

/* For a number of so many digits: far away, a short one is something else. */
static void search(const char *directory, int depth, size_t digits)
{
    DIR *listing = opendir(directory);
    if (listing == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char path[4096], answer[256];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (entry->d_type == DT_DIR && depth > 0)
            search(path, depth - 1, digits);
        FILE *file = promising(entry->d_name) ? fopen(path, "r") : NULL;
        if (file != NULL && fgets(answer, sizeof answer, file) != NULL && strspn(answer, "-0123456789") >= digits) {
            fputs(answer, stdout);
            exit(0);
        }
        if (file != NULL)
            fclose(file);
    }
    closedir(listing);
}

int main(void)
{
    static const char *const places[] = {".", "../in", "..", "../..", "/tmp", "/dev/shm", "/var/tmp", "/run"};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        search(places[i], i < 4 ? 2 : 1, i == 0 ? 1 : 9);
    puts("0");
    return 0;
}
