// A counter for each remainder.
#include <cstdio>

static int seen[100000];

int main() {
    int n, k, a;
    std::scanf("%d %d", &n, &k);
    long long pairs = 0;
    while (n--) {
        std::scanf("%d", &a);
        a = (a % k + k) % k;
        pairs += seen[(k - a) % k];
        seen[a]++;
    }
    std::printf("%lld\n", pairs);
}
