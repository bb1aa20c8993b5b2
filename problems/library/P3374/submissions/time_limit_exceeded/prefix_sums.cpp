// Prefix sums, repaired after each addition: n * m steps.
#include <cstdio>

const int N = 500005;
int sum[N];

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    for (int i = 1; i <= n; i++) {
        scanf("%d", &sum[i]);
        sum[i] += sum[i - 1];
    }
    while (m--) {
        int kind, x, y;
        scanf("%d %d %d", &kind, &x, &y);
        if (kind == 1) {
            for (int i = x; i <= n; i++) sum[i] += y;
        } else {
            printf("%d\n", sum[y] - sum[x - 1]);
        }
    }
}
