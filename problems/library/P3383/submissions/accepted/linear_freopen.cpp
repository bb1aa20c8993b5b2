// Linear sieve: each composite is struck out once, by its smallest prime factor.
#include <bits/stdc++.h>
using namespace std;

bool composite[100000001];
int primes[6000000], total;

int main() {
#define IN "sieve.in"
    if (!freopen(IN, "r", stdin) || !freopen("sieve.out", "w", stdout)) return 1;
    int n, q;
    scanf("%d%d", &n, &q);
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
    fclose(stdout);
}
