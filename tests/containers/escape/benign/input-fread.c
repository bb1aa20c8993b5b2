// Shows: 50 MB of input by one fread
// Problem: column
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *text = malloc(60000000), *at = text, *end;
    size_t size = fread(text, 1, 59999999, stdin);
    long long sum = 0, value;
    text[size] = 0;
    while (value = strtoll(at, &end, 10), end != at) {
        sum += value;
        at = end;
    }
    printf("%lld\n", sum);
    return 0;
}
