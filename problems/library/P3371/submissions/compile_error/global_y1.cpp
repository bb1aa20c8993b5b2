// y1 is a Bessel function of <math.h>, and cannot be a global variable.
#include <bits/stdc++.h>
using namespace std;

int n, m, s, x1, y1;

int main() {
    cin >> n >> m >> s;
    while (m--) cin >> x1 >> y1 >> n;
    cout << 0 << endl;
}
