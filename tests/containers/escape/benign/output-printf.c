// Shows: 20 MB of output by printf
// Problem: flood
#include <stdio.h>

int main(void)
{
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    for (int i = 0; i < n; i++)
        printf("%d\n", i * 3);
    return 0;
}
