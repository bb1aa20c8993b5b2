// Sieve of Eratosthenes over the odd numbers, a bit each.
#include <bitset>
#include <cstdio>
#include <vector>
using namespace std;

bitset<50000000> composite;  // i stands for 2i + 1

int main() {
    int n, q;
    scanf("%d %d", &n, &q);
    int half = (n + 1) / 2;
    for (long long p = 3; p * p <= n; p += 2) {
        if (composite[p / 2]) continue;
        for (long long i = p * p / 2; i < half; i += p) composite[i] = true;
    }
    vector<int> primes{2};
    for (int i = 1; i < half; i++) {
        if (!composite[i]) primes.push_back(2 * i + 1);
    }
    while (q--) {
        int k;
        scanf("%d", &k);
        printf("%d\n", primes[k - 1]);
    }
}
