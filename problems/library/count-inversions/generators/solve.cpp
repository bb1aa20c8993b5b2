// Prints the answers of generated tests: submissions hold no program of their own.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int calls, n;
    std::scanf("%d", &calls);
    while (calls-- > 0 && std::scanf("%d", &n) == 1) {
        std::vector<int> a(n), seen(n + 2);
        for (int &one : a)
            std::scanf("%d", &one);
        std::vector<int> sorted(a);
        std::sort(sorted.begin(), sorted.end());
        long long found = 0;
        for (int i = n - 1; i >= 0; i--) {
            const int from = (int)(std::lower_bound(sorted.begin(), sorted.end(), a[i]) - sorted.begin());
            for (int j = from; j > 0; j -= j & -j)
                found += seen[j];
            for (int j = from + 1; j <= n; j += j & -j)
                seen[j]++;
        }
        std::printf("%lld\n", found);
    }
}
