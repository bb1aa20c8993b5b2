// A table with t entries has no entry for t.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int t, m;
    std::cin >> t >> m;
    std::vector<int> best(t);
    while (m--) {
        int cost, value;
        std::cin >> cost >> value;
        for (int j = t; j >= cost; --j) best.at(j) = std::max(best.at(j), best.at(j - cost) + value);
    }
    std::cout << best.at(t) << '\n';
}
