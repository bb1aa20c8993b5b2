// Tries: to break a judge that reads text: bytes that are no UTF-8 on both streams, the right answer first
// Control: yes
// Problem: sum
// Verdict: WA
#include <stdio.h>

int main(void)
{
    long long a, b;
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    printf("%lld\n", a + b);
    puts("\xff\xfe\xc0\x80\xed\xa0\x80\xf8");
    fputs("\xff\xfe\xc0\x80\xed\xa0\x80\xf8", stderr);
    return 0;
}
