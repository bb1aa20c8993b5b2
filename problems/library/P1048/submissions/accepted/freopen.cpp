// Written for file input and output, with a local debugging switch. Memoised search.
#include <bits/stdc++.h>
#define FILE_IO(name) freopen(name ".in", "r", stdin), freopen(name ".out", "w", stdout)
using namespace std;

int t, m, cost[105], value[105], memo[105][1005];

int best(int i, int left) {
    if (i == m) return 0;
    int &answer = memo[i][left];
    if (answer >= 0) return answer;
    answer = best(i + 1, left);
    if (cost[i] <= left) answer = max(answer, best(i + 1, left - cost[i]) + value[i]);
    return answer;
}

int main() {
    FILE_IO("medic");
    cin >> t >> m;
    for (int i = 0; i < m; i++) cin >> cost[i] >> value[i];
    memset(memo, -1, sizeof memo);
    cout << best(0, t) << endl;
    return 0;
}
