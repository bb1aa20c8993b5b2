// Shows: 50 MB of input by getchar_unlocked
// Problem: column
#define _GNU_SOURCE
#include <stdio.h>

int main(void)
{
    long long sum = 0, value = 0;
    for (int letter; (letter = getchar_unlocked()) != EOF;)
        if (letter >= '0') {
            value = value * 10 + letter - '0';
        } else {
            sum += value;
            value = 0;
        }
    printf("%lld\n", sum + value);
    return 0;
}
