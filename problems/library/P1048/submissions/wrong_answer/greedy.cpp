// Takes the herbs by worth per time.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int t, m, total = 0;
    std::cin >> t >> m;
    std::vector<std::pair<int, int>> herb(m);
    for (auto &[cost, value] : herb) std::cin >> cost >> value;
    std::sort(herb.begin(), herb.end(), [](auto a, auto b) { return a.second * b.first > b.second * a.first; });
    for (auto [cost, value] : herb)
        if (cost <= t) t -= cost, total += value;
    std::cout << total << '\n';
}
