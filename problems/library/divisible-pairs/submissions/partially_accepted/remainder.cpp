// Takes the remainder of a negative number as C++ gives it.
#include <cstdio>
#include <map>

int main() {
    int n, k, a;
    std::scanf("%d %d", &n, &k);
    std::map<int, int> seen;
    long long pairs = 0;
    while (n--) {
        std::scanf("%d", &a);
        auto found = seen.find((k - a % k) % k);
        pairs += found == seen.end() ? 0 : found->second;
        seen[a % k]++;
    }
    std::printf("%lld\n", pairs);
}
