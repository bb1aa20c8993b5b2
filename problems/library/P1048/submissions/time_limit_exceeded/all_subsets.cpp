// Tries to take and to leave every herb: exponential.
#include <algorithm>
#include <iostream>

int m, cost[100], value[100], most;

void search(int i, int left, int worth) {
    if (i == m) {
        most = std::max(most, worth);
        return;
    }
    search(i + 1, left, worth);
    if (cost[i] <= left) search(i + 1, left - cost[i], worth + value[i]);
}

int main() {
    int t;
    std::cin >> t >> m;
    for (int i = 0; i < m; ++i) std::cin >> cost[i] >> value[i];
    search(0, t, 0);
    std::cout << most << '\n';
}
