// Tries: to deadlock with a judge that does not read standard error: 20 MB go there before the right answer
// Control: yes
// Problem: sum
// Verdict: AC
#include <stdio.h>

int main(void)
{
    long long a, b;
    static char noise[20000001];
    for (unsigned i = 0; i < sizeof noise - 1; i++)
        noise[i] = (char)(i % 100 ? 'e' : '\n');
    fputs(noise, stderr);
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    printf("%lld\n", a + b);
    return 0;
}
