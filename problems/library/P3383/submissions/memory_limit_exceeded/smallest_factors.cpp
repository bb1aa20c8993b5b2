// Keeps the smallest prime factor, the totient and the Moebius function of each number: 1.2 GB for n = 10^8.
#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, q;
    scanf("%d%d", &n, &q);
    vector<int> factor(n + 1), totient(n + 1), moebius(n + 1), primes;
    for (int i = 2; i <= n; i++) {
        if (!factor[i]) {
            primes.push_back(i);
            factor[i] = i;
            totient[i] = i - 1;
            moebius[i] = -1;
        }
        for (int p : primes) {
            if (p > factor[i] || (long long)i * p > n) break;
            factor[i * p] = p;
            totient[i * p] = totient[i] * (p < factor[i] ? p - 1 : p);
            moebius[i * p] = p < factor[i] ? -moebius[i] : 0;
        }
    }
    while (q--) {
        int k;
        scanf("%d", &k);
        printf("%d\n", primes[k - 1]);
    }
}
