// Shows: 100 MB of memory, input by /dev/stdin, a file redirected by freopen
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    long long a, b;
    char *memory = malloc(100 << 20);
    memset(memory, 1, 100 << 20);
    FILE *input = fopen("/dev/stdin", "r");
    if (input == NULL || freopen("sum.out", "w", stdout) == NULL || fscanf(input, "%lld%lld", &a, &b) != 2)
        return 1;
    printf("%lld\n", a + b + memory[99 << 20] - 1);
    return 0;
}
