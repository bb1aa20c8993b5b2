// Shortest paths between all pairs: n^3 steps.
#include <cstdio>
#include <cstring>

const int N = 5001;
int d[N][N];

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    memset(d, 0x3f, sizeof d);
    while (m--) {
        int c, other, y;
        scanf("%d %d %d", &c, &other, &y);
        if (y < d[other][c]) d[other][c] = y;
    }
    for (int i = 0; i <= n; i++) d[0][i] = d[i][i] = 0;
    for (int k = 0; k <= n; k++) {
        for (int i = 0; i <= n; i++) {
            for (int j = 0; j <= n; j++) {
                if (d[i][k] < 0x3f000000 && d[k][j] < 0x3f000000 && d[i][k] + d[k][j] < d[i][j]) {
                    d[i][j] = d[i][k] + d[k][j];
                }
            }
            if (d[i][i] < 0) {
                puts("NO");
                return 0;
            }
        }
    }
    for (int i = 1; i <= n; i++) printf("%d ", d[0][i]);
}
