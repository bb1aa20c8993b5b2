#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int t, m;
    std::cin >> t >> m;
    std::vector<int> best(t + 1);
    while (m--) {
        int cost, value;
        std::cin >> cost >> value;
        for (int j = t; j >= cost; --j) best[j] = std::max(best[j], best[j - cost] + value);
    }
    std::cout << best[t] << '\n';
}
