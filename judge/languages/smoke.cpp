#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    vector<long long> v(istream_iterator<long long>(cin), {});
    sort(v.rbegin(), v.rend());
    map<string, int> seen;
    for (auto x : v) seen[to_string(x)]++;
    atomic<long long> sum{0};
    auto add = [&](long long x) { sum += x; };
    thread first(add, v.at(0)), second(add, v.at(1));
    first.join(), second.join();
    cout.imbue(locale::classic());
    try {
        v.at(2) = 1;
    } catch (const out_of_range &) {
        ostringstream out;
        out << fixed << setprecision(0) << double(sum);
        if (seen.size() == 2) cout << out.str() << endl;
    }
}
