// A tournament: the second heaviest lost to the heaviest.
#include <iostream>
#include <vector>

int heavier(int a, int b) {
    std::cout << "? " << a << " " << b << std::endl;
    int winner;
    std::cin >> winner;
    return winner;
}

int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> lost(n + 1);
    std::vector<int> left;
    for (int i = 1; i <= n; i++)
        left.push_back(i);
    while (left.size() > 1) {
        std::vector<int> winners;
        if (left.size() % 2)
            winners.push_back(left.back());
        for (std::size_t i = 0; i + 1 < left.size(); i += 2) {
            int winner = heavier(left[i], left[i + 1]);
            lost[winner].push_back(left[i] + left[i + 1] - winner);
            winners.push_back(winner);
        }
        left = winners;
    }
    int first = left[0], second = lost[first][0];
    for (std::size_t i = 1; i < lost[first].size(); i++)
        second = heavier(second, lost[first][i]);
    std::cout << "! " << first << " " << second << std::endl;
}
