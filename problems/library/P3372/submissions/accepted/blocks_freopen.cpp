// Square root decomposition, as written for a contest with file input and output.
#include <algorithm>
#include <cstdio>
#include <iostream>
using namespace std;

const int N = 100005, B = 320;
long long a[N], sum[N / B + 2], lazy_add[N / B + 2];

int main() {
    freopen("segment.in", "r", stdin);
    freopen("segment.out", "w", stdout);
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m;
    cin >> n >> m;
    for (int i = 0; i < n; i++) {
        cin >> a[i];
        sum[i / B] += a[i];
    }
    while (m--) {
        int kind, x, y;
        cin >> kind >> x >> y;
        x--, y--;
        int bx = x / B, by = y / B;
        if (kind == 1) {
            long long k;
            cin >> k;
            for (int b = bx; b <= by; b++) {
                int l = max(x, b * B), r = min(y, b * B + B - 1);
                if (r - l + 1 == B) lazy_add[b] += k;
                else for (int i = l; i <= r; i++) a[i] += k;
                sum[b] += k * (r - l + 1);
            }
        } else {
            long long result = 0;
            for (int b = bx; b <= by; b++) {
                int l = max(x, b * B), r = min(y, b * B + B - 1);
                if (r - l + 1 == B) {
                    result += sum[b];
                } else {
                    for (int i = l; i <= r; i++) result += a[i];
                    result += lazy_add[b] * (r - l + 1);
                }
            }
            cout << result << '\n';
        }
    }
}
