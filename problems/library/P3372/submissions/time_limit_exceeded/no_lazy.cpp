// Segment tree without lazy additions: each addition goes down to every leaf of its range.
#include <cstdio>

const int N = 100005;
long long a[N], sum[4 * N];

void build(int node, int l, int r) {
    if (l == r) {
        sum[node] = a[l];
        return;
    }
    int mid = (l + r) / 2;
    build(2 * node, l, mid);
    build(2 * node + 1, mid + 1, r);
    sum[node] = sum[2 * node] + sum[2 * node + 1];
}

void add(int node, int l, int r, int x, int y, long long k) {
    if (l == r) {
        sum[node] += k;
        return;
    }
    int mid = (l + r) / 2;
    if (x <= mid) add(2 * node, l, mid, x, y, k);
    if (y > mid) add(2 * node + 1, mid + 1, r, x, y, k);
    sum[node] = sum[2 * node] + sum[2 * node + 1];
}

long long query(int node, int l, int r, int x, int y) {
    if (x <= l && r <= y) return sum[node];
    int mid = (l + r) / 2;
    long long result = 0;
    if (x <= mid) result += query(2 * node, l, mid, x, y);
    if (y > mid) result += query(2 * node + 1, mid + 1, r, x, y);
    return result;
}

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    for (int i = 1; i <= n; i++) scanf("%lld", &a[i]);
    build(1, 1, n);
    while (m--) {
        int kind, x, y;
        scanf("%d %d %d", &kind, &x, &y);
        if (kind == 1) {
            long long k;
            scanf("%lld", &k);
            add(1, 1, n, x, y, k);
        } else {
            printf("%lld\n", query(1, 1, n, x, y));
        }
    }
}
