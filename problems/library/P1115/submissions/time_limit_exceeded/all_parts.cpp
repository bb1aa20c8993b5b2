// Adds up every part from its beginning.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, best = -10000;
    std::scanf("%d", &n);
    std::vector<int> a(n);
    for (int &x : a) std::scanf("%d", &x);
    for (int from = 0; from < n; ++from)
        for (int to = from; to < n; ++to) {
            int sum = 0;
            for (int i = from; i <= to; ++i) sum += a[i];
            best = std::max(best, sum);
        }
    std::printf("%d\n", best);
}
