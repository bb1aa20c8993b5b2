#include <cstdio>

#include "inversions.h"

int main() {
    int calls, n;
    if (std::scanf("%d", &calls) != 1)
        return 1;
    while (calls-- > 0 && std::scanf("%d", &n) == 1) {
        std::vector<int> a(n);
        for (int &one : a)
            if (std::scanf("%d", &one) != 1)
                return 1;
        std::printf("%lld\n", inversions(a));
    }
}
