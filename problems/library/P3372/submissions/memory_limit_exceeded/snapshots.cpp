// Keeps all prefix sums after each addition: n * m numbers.
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    vector<vector<long long>> history(1, vector<long long>(n + 1));
    for (int i = 1; i <= n; i++) {
        scanf("%lld", &history[0][i]);
        history[0][i] += history[0][i - 1];
    }
    while (m--) {
        int kind, x, y;
        scanf("%d %d %d", &kind, &x, &y);
        if (kind == 1) {
            long long k, added = 0;
            scanf("%lld", &k);
            history.emplace_back(history.back());
            for (int i = x; i <= n; i++) {
                if (i <= y) added += k;
                history.back()[i] += added;
            }
        } else {
            printf("%lld\n", history.back()[y] - history.back()[x - 1]);
        }
    }
}
