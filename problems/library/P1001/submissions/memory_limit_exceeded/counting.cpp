// "Counts up" in a table with an entry for every number up to 10^9.
#include <cstdio>
#include <vector>

int main() {
    long long a, b;
    if (scanf("%lld%lld", &a, &b) != 2) return 1;
    std::vector<char> number(1'000'000'001, '1');
    printf("%lld\n", a + b + (number[0] != '1'));
}
