/* The honest program that runs beside an attack. It keeps a secret in memory and in a file, answers each number on its
 * input with its square, and at the end says whether all is as it was. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char secret[256], again[256];

int main(void)
{
    char line[256];
    if (fgets(secret, sizeof secret, stdin) == NULL)
        return 2;
    umask(0);
    FILE *file = fopen("secret", "w");
    if (file == NULL || fputs(secret, file) < 0 || fclose(file) != 0)
        return 3;
    chmod("secret", 0666); /* refused in the sandbox, as it should be */
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        long number = strtol(line, NULL, 10);
        printf("%ld\n", number * number);
        fflush(stdout);
    }
    file = fopen("secret", "r");
    if (file == NULL || fgets(again, sizeof again, file) == NULL)
        return 4;
    puts(strcmp(secret, again) == 0 ? "unchanged" : "changed");
    return 0;
}
