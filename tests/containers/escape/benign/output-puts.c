// Shows: 20 MB of output by puts, unbuffered in part
// Problem: flood
#include <stdio.h>

int main(void)
{
    int n;
    char text[16];
    if (scanf("%d", &n) != 1)
        return 1;
    for (int i = 0; i < n; i++) {
        sprintf(text, "%d", i * 3);
        puts(text);
        if (i % 100000 == 0)
            fflush(stdout);
    }
    return 0;
}
