// Room for 2n nodes only: a recursive segment tree needs up to 4n. Checked access throws.
#include <iostream>
#include <vector>
using namespace std;

vector<long long> a, sum, tag;

void apply(int node, int length, long long k) {
    sum.at(node) += k * length;
    tag.at(node) += k;
}

void push(int node, int l, int r) {
    int mid = (l + r) / 2;
    apply(2 * node, mid - l + 1, tag.at(node));
    apply(2 * node + 1, r - mid, tag.at(node));
    tag.at(node) = 0;
}

void build(int node, int l, int r) {
    if (l == r) {
        sum.at(node) = a[l];
        return;
    }
    int mid = (l + r) / 2;
    build(2 * node, l, mid);
    build(2 * node + 1, mid + 1, r);
    sum.at(node) = sum.at(2 * node) + sum.at(2 * node + 1);
}

void add(int node, int l, int r, int x, int y, long long k) {
    if (x <= l && r <= y) return apply(node, r - l + 1, k);
    push(node, l, r);
    int mid = (l + r) / 2;
    if (x <= mid) add(2 * node, l, mid, x, y, k);
    if (y > mid) add(2 * node + 1, mid + 1, r, x, y, k);
    sum.at(node) = sum.at(2 * node) + sum.at(2 * node + 1);
}

long long query(int node, int l, int r, int x, int y) {
    if (x <= l && r <= y) return sum.at(node);
    push(node, l, r);
    int mid = (l + r) / 2;
    long long result = 0;
    if (x <= mid) result += query(2 * node, l, mid, x, y);
    if (y > mid) result += query(2 * node + 1, mid + 1, r, x, y);
    return result;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m;
    cin >> n >> m;
    a.resize(n + 1);
    sum.resize(2 * n + 1);
    tag.resize(2 * n + 1);
    for (int i = 1; i <= n; i++) cin >> a[i];
    build(1, 1, n);
    while (m--) {
        int kind, x, y;
        cin >> kind >> x >> y;
        if (kind == 1) {
            long long k;
            cin >> k;
            add(1, 1, n, x, y, k);
        } else {
            cout << query(1, 1, n, x, y) << '\n';
        }
    }
}
