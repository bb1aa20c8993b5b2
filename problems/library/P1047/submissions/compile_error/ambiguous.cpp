// With C++17 and all of std, `data` is ambiguous.
#include <bits/stdc++.h>
using namespace std;

int data[10001];

int main() {
    int l, m, count = 0;
    cin >> l >> m;
    while (m--) {
        int u, v;
        cin >> u >> v;
        for (int i = u; i <= v; ++i) data[i] = 1;
    }
    for (int i = 0; i <= l; ++i) count += !data[i];
    cout << count << endl;
}
