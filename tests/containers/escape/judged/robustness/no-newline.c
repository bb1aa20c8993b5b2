// Tries: to end its output without a newline
// Control: no, a plain judge bears it
// Problem: sum
// Verdict: AC
#include <stdio.h>

int main(void)
{
    long long a, b;
    return scanf("%lld%lld", &a, &b) != 2 || printf("%lld", a + b) < 0;
}
