// Adds up the range for each query: n * m steps.
#include <cstdio>

const int N = 500005;
int a[N];

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    for (int i = 1; i <= n; i++) scanf("%d", &a[i]);
    while (m--) {
        int kind, x, y;
        scanf("%d %d %d", &kind, &x, &y);
        if (kind == 1) {
            a[x] += y;
        } else {
            int sum = 0;
            for (int i = x; i <= y; i++) sum += a[i];
            printf("%d\n", sum);
        }
    }
}
