// Finds one of several places, not always the first.
#include <cstdio>
#include <vector>

int main() {
    int n, m;
    std::scanf("%d %d", &n, &m);
    std::vector<int> a(n);
    for (int &x : a) std::scanf("%d", &x);
    for (int x; m-- > 0;) {
        std::scanf("%d", &x);
        int low = 0, high = n - 1, found = -1;
        while (low <= high && found < 0) {
            int middle = (low + high) / 2;
            if (a[middle] == x) found = middle + 1;
            else if (a[middle] < x) low = middle + 1;
            else high = middle - 1;
        }
        std::printf("%d ", found);
    }
    std::puts("");
}
