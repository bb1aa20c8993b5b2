// Tries: to learn from its standard input, arguments and environment where the input lies, and to print the answer beside
// Control: yes
// Problem: sum
// Verdict: WA
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void beside(const char *text)
{
    char path[4200], answer[256];
    snprintf(path, sizeof path, "%s", strchr(text, '=') ? strchr(text, '=') + 1 : text);
    char *suffix = strrchr(path, '.');
    if (suffix == NULL || strlen(suffix) > 10)
        return;
    static const char *const suffixes[] = {".ans", ".out", ".a"};
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        strcpy(suffix, suffixes[i]);
        FILE *file = fopen(path, "r");
        if (file != NULL && fgets(answer, sizeof answer, file) != NULL && strspn(answer, "-0123456789") > 0) {
            fputs(answer, stdout);
            exit(0);
        }
    }
}

int main(int argc, char **argv)
{
    char link[4096], name[64];
    for (int fd = 0; fd < 64; fd++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(name, link, sizeof link - 1);
        if (length > 0) {
            link[length] = '\0';
            beside(link);
        }
    }
    for (int i = 0; i < argc; i++)
        beside(argv[i]);
    for (char **variable = environ; *variable != NULL; variable++)
        beside(*variable);
    puts("0");
    return 0;
}
