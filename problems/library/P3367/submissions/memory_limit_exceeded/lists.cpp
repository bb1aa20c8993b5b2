// A row of n entries for each element says which others are in its set.
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, m;
    std::cin >> n >> m;
    std::vector<std::vector<char>> together(n + 1);
    for (int i = 1; i <= n; ++i) {
        together[i].assign(n + 1, 0);
        together[i][i] = 1;
    }
    while (m--) {
        int z, x, y;
        std::cin >> z >> x >> y;
        if (z == 2) {
            std::cout << (together[x][y] ? "Y\n" : "N\n");
        } else if (!together[x][y]) {
            for (int i = 1; i <= n; ++i)
                if (together[x][i])
                    for (int j = 1; j <= n; ++j)
                        if (together[y][j]) together[i][j] = together[j][i] = 1;
            for (int i = 1; i <= n; ++i)
                for (int j = 1; j <= n; ++j)
                    if (together[x][i] && together[x][j]) together[i][j] = 1;
        }
    }
}
