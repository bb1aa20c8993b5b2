/* The sum in 32 bits. */
#include <stdio.h>

static int taken[100001];

int main(void) {
    int n, count = 0;
    scanf("%d", &n);
    int left = (int)((unsigned)n * ((unsigned)n + 1) / 2);
    if (left % 2 != 0) {
        puts("NO");
        return 0;
    }
    left /= 2;
    for (int i = n; i > 0; i--)
        if (i <= left) {
            taken[count++] = i;
            left -= i;
        }
    printf("YES\n%d\n", count);
    for (int i = 0; i < count; i++)
        printf("%d ", taken[i]);
    puts("");
    return 0;
}
