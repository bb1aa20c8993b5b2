// std::min of a float and a double.
#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<pair<double, double>> p(n);
    for (auto &q : p) cin >> q.first >> q.second;
    float best = 2e9;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) best = min(best, hypot(p[i].first - p[j].first, p[i].second - p[j].second));
    cout << best << endl;
}
