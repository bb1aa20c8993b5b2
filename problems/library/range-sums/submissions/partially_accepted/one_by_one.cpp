// Adds up each range anew.
#include <cstdio>
#include <vector>

int main() {
    int n, q;
    std::scanf("%d %d", &n, &q);
    std::vector<int> a(n);
    for (int &one : a)
        std::scanf("%d", &one);
    while (q--) {
        int l, r;
        std::scanf("%d %d", &l, &r);
        volatile long long sum = 0;
        for (int i = l - 1; i < r; i++)
            sum = sum + a[i];
        std::printf("%lld\n", (long long)sum);
    }
}
