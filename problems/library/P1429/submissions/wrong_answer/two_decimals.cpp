// Right, but printed with two decimals.
#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n;
    vector<pair<double, double>> p(n);
    for (auto &[x, y] : p) cin >> x >> y;
    sort(p.begin(), p.end());
    set<pair<double, double>> near;
    double best = 2e9;
    for (int i = 0, old = 0; i < n; i++) {
        auto [x, y] = p[i];
        while (x - p[old].first >= best && old < i) near.erase({p[old].second, p[old].first}), old++;
        for (auto it = near.lower_bound({y - best, -1}); it != near.end() && it->first - y < best; ++it)
            best = min(best, hypot(x - it->second, y - it->first));
        near.insert({y, x});
    }
    cout << fixed << setprecision(2) << best << endl;
}
