// a[i] < a[j] instead of <=: equal numbers count as inversions.
#include <iostream>
#include <vector>

std::vector<int> a, b;

long long inversions(int l, int r) {
    if (r - l < 2) return 0;
    int m = (l + r) / 2;
    long long count = inversions(l, m) + inversions(m, r);
    for (int i = l, j = m, k = l; k < r; ++k) {
        if (j == r || (i < m && a[i] < a[j])) {
            b[k] = a[i++];
        } else {
            b[k] = a[j++];
            count += m - i;
        }
    }
    for (int k = l; k < r; ++k) a[k] = b[k];
    return count;
}

int main() {
    std::ios::sync_with_stdio(false);
    int n;
    std::cin >> n;
    a.resize(n);
    b.resize(n);
    for (int &x : a) std::cin >> x;
    std::cout << inversions(0, n) << '\n';
}
