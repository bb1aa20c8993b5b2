// Holds every 6k - 1 and 6k + 1 that has no factor below 30 for a prime.
#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, q;
    scanf("%d%d", &n, &q);
    vector<int> primes{0, 2, 3};
    for (int i = 5; i <= n; i += i % 6 == 5 ? 2 : 4) {
        bool prime = true;
        for (int p : {5, 7, 11, 13, 17, 19, 23, 29}) {
            if (i != p && i % p == 0) {
                prime = false;
                break;
            }
        }
        if (prime) primes.push_back(i);
    }
    while (q--) {
        int k;
        scanf("%d", &k);
        printf("%d\n", primes[k]);
    }
}
