/* Runs long enough to be disturbed: keeps a file and memory, waits, and looks whether both are as they were. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    long long a, b;
    char kept[64], found[64];
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    snprintf(kept, sizeof kept, "%lld", a + b);
    FILE *file = fopen("kept", "w");
    if (file == NULL || fputs(kept, file) < 0 || fclose(file) != 0)
        return 2;
    usleep(20000);
    file = fopen("kept", "r");
    if (file == NULL || fgets(found, sizeof found, file) == NULL || strcmp(kept, found) != 0)
        return 3;
    puts(found);
    return 0;
}
