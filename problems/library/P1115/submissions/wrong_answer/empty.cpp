// Allows an empty part.
#include <algorithm>
#include <cstdio>

int main() {
    int n, ending = 0, best = 0;
    std::scanf("%d", &n);
    for (int x; n-- > 0;) {
        std::scanf("%d", &x);
        ending = std::max(ending + x, 0);
        best = std::max(best, ending);
    }
    std::printf("%d\n", best);
}
