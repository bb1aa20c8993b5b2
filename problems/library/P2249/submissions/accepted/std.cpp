#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, m;
    std::scanf("%d %d", &n, &m);
    std::vector<int> a(n);
    for (int &x : a) std::scanf("%d", &x);
    for (int x; m-- > 0;) {
        std::scanf("%d", &x);
        auto found = std::lower_bound(a.begin(), a.end(), x);
        bool there = found != a.end() && *found == x;
        std::printf("%d ", there ? static_cast<int>(found - a.begin()) + 1 : -1);
    }
    std::puts("");
}
