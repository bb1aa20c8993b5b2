// Divides each number by every odd one up to its root.
#include <cstdio>
#include <vector>
using namespace std;

bool is_prime(int x) {
    if (x % 2 == 0) return x == 2;
    for (int d = 3; d * d <= x; d += 2) {
        if (x % d == 0) return false;
    }
    return true;
}

int main() {
    int n, q;
    scanf("%d %d", &n, &q);
    vector<int> primes;
    for (int i = 2; i <= n; i++) {
        if (is_prime(i)) primes.push_back(i);
    }
    while (q--) {
        int k;
        scanf("%d", &k);
        printf("%d\n", primes[k - 1]);
    }
}
