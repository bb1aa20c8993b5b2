// Segment tree without recursion.
#include <iostream>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m;
    cin >> n >> m;
    vector<long long> tree(2 * n);
    for (int i = 0; i < n; i++) cin >> tree[n + i];
    for (int i = n - 1; i > 0; i--) tree[i] = tree[2 * i] + tree[2 * i + 1];
    while (m--) {
        int kind, x, y;
        cin >> kind >> x >> y;
        if (kind == 1) {
            for (int i = n + x - 1; i > 0; i /= 2) tree[i] += y;
        } else {
            long long result = 0;
            for (int l = n + x - 1, r = n + y; l < r; l /= 2, r /= 2) {
                if (l % 2) result += tree[l++];
                if (r % 2) result += tree[--r];
            }
            cout << result << '\n';
        }
    }
}
