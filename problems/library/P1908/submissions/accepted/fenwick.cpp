// Fenwick tree over the ranks.
#include <bits/stdc++.h>
using namespace std;

int n, a[500005], sorted_[500005], tree[500005];

int main() {
    scanf("%d", &n);
    for (int i = 0; i < n; i++) scanf("%d", &a[i]), sorted_[i] = a[i];
    sort(sorted_, sorted_ + n);
    int m = unique(sorted_, sorted_ + n) - sorted_;
    long long count = 0;
    for (int i = n - 1; i >= 0; i--) {
        int rank = lower_bound(sorted_, sorted_ + m, a[i]) - sorted_ + 1;
        for (int k = rank - 1; k > 0; k -= k & -k) count += tree[k];
        for (int k = rank; k <= m; k += k & -k) tree[k]++;
    }
    printf("%lld\n", count);
}
