// Keeps every (time, worth) that some choice reaches, equal ones too: the list doubles with each herb.
#include <algorithm>
#include <iostream>
#include <utility>
#include <vector>

int main() {
    int t, m, most = 0;
    std::cin >> t >> m;
    std::vector<std::pair<int, int>> state{{0, 0}};
    while (m--) {
        int cost, value;
        std::cin >> cost >> value;
        for (std::size_t i = state.size(); i-- > 0;)
            if (state[i].first + cost <= t) state.emplace_back(state[i].first + cost, state[i].second + value);
    }
    for (auto [time, worth] : state) most = std::max(most, worth);
    std::cout << most << '\n';
}
