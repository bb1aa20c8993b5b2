#include <cstdio>
#include <vector>

int main() {
    int n, m;
    std::scanf("%d", &n);
    std::vector<int> sum(n + 1);
    for (int i = 1; i <= n; ++i) {
        std::scanf("%d", &sum[i]);
        sum[i] += sum[i - 1];
    }
    std::scanf("%d", &m);
    for (int l, r; m-- > 0;) {
        std::scanf("%d %d", &l, &r);
        std::printf("%d\n", sum[r] - sum[l - 1]);
    }
}
