// Shows: system and popen, for "pause" and "clear": they fail and the program goes on
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    long long a, b;
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    if (system("clear") == 0)
        puts("cleared");
    FILE *command = popen("date", "r");
    if (command != NULL)
        pclose(command);
    printf("%lld\n", a + b);
    system("pause");
    return 0;
}
