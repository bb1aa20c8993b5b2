#include <cstdio>
#include <vector>

int main() {
    int n, q;
    if (std::scanf("%d %d", &n, &q) != 2)
        return 1;
    std::vector<long long> before(n + 1);
    for (int i = 0; i < n; i++) {
        int a;
        if (std::scanf("%d", &a) != 1)
            return 1;
        before[i + 1] = before[i] + a;
    }
    while (q--) {
        int l, r;
        if (std::scanf("%d %d", &l, &r) != 2)
            return 1;
        std::printf("%lld\n", before[r] - before[l - 1]);
    }
}
