#include <stdio.h>

int main(void) {
    long long added = 0, most = 0, h;
    int n;
    if (!freopen("fence.in", "r", stdin) || !freopen("fence.out", "w", stdout) || scanf("%d", &n) != 1)
        return 1;
    while (n-- && scanf("%lld", &h) == 1) {
        if (h > most)
            most = h;
        added += most - h;
    }
    printf("%lld\n", added);
    return 0;
}
